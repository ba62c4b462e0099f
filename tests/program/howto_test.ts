/** Every how-to page of docs/howto: its commands are run as they stand, in a home and a network of their own. */
import assert from "node:assert/strict";
import { END_MARK, type HowtoPage, howtoPage, mark } from "tests/kit/howto_page.ts";
import { certify, ran } from "tests/kit/nginx.ts";
import { denoDir, repoRoot, svcCommand } from "tests/kit/script.ts";
import { fits, still } from "tests/kit/shown_output.ts";
import { type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { within } from "tests/kit/within.ts";

const FOLDER = `${repoRoot}docs/howto`;
const PAGES = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
  .filter((name) => name.endsWith(".md")).sort();

/** Bubblewrap makes the network and turns its loopback on; files and processes stay as they are. */
const NETWORK = ["bwrap", "--unshare-user", "--unshare-net", "--dev-bind", "/", "/"];
/** Names of the world outside that lead to this machine in there. */
const NAMES = ["localhost", "api.openai.com", "svc.example.com", "hooks.example.com"];

/** `<!-- needs: nginx, openai -->`: programs of Debian, and servers of `howto_program.ts`. */
function needsOf(markdown: string): { readonly servers: string[]; readonly programs: string[] } {
  const named = /<!-- needs: (.*?) -->/.exec(markdown)?.[1]?.split(", ") ?? [];
  const isServer = (name: string) => ["model", "openai"].includes(name);
  return { servers: named.filter(isServer), programs: named.filter((name) => !isServer(name)) };
}

async function has(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", `command -v ${program}`],
    env: { PATH: `${Deno.env.get("PATH")}:/usr/sbin` },
  }).output();
  return success;
}

/** A project of the person, and what a shell of theirs has. */
async function madeHome(folder: TempFolder): Promise<Record<string, string>> {
  const home = folder.path;
  await Deno.mkdir(`${home}/bin`);
  const words = svcCommand().map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${home}/bin/svc`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  await folder.write("hosts", `127.0.0.1 ${NAMES.join(" ")}\n`);
  return {
    ...{ HOME: home, PATH: `${home}/bin:${Deno.env.get("PATH")}:/usr/sbin`, LC_ALL: "C.UTF-8" },
    ...{ DENO_DIR: denoDir(), DENO_NO_PROMPT: "1", XDG_RUNTIME_DIR: home },
    ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" },
    ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" },
  };
}

const BEGIN = `set -e
trap 'code=$?; jobs -p | xargs -r kill -INT 2>/dev/null || true; wait; exit $code' EXIT
cp -r '${repoRoot}demo/sample' "$HOME/tally" && cd "$HOME/tally"
git init --quiet --initial-branch=main && git add --all && git commit --quiet --message 'feat: mean and median'
`;

async function printedBy(
  { script }: HowtoPage,
  { servers, programs }: ReturnType<typeof needsOf>,
): Promise<{ readonly code: number; readonly output: string; readonly home: string }> {
  await using folder = await tempFolder("svc-howto-");
  const env = await madeHome(folder);
  if (servers.includes("openai")) {
    await certify(folder.path, "api.openai.com", "-addext", "basicConstraints=critical,CA:FALSE");
    env.DENO_CERT = `${folder.path}/cert`;
  }
  if (programs.includes("nginx") || programs.includes("caddy")) {
    await certify(folder.path, "svc.example.com");
    env.CURL_CA_BUNDLE = `${folder.path}/cert`;
  }
  await folder.write("page.sh", `${BEGIN}${script}\n`);
  const program = [Deno.execPath(), "run", "-A", "-q", "tests/kit/howto_program.ts"];
  const hosts = ["--ro-bind", `${folder.path}/hosts`, "/etc/hosts"];
  const child = new Deno.Command(NETWORK[0]!, {
    args: [
      ...[...NETWORK.slice(1), ...hosts, "--chdir", repoRoot],
      ...["sh", "-c", '"$@" 2>&1', "sh", ...program, folder.path, ...servers],
    ],
    ...{ env, clearEnv: true, stdin: "null", stdout: "piped" },
  }).spawn();
  const { code, stdout } = await within(child.output(), () => `no end of the page`);
  const output = new TextDecoder().decode(stdout);
  return { code, output: output.replaceAll(folder.path, "~"), home: folder.path };
}

function compare(page: HowtoPage, output: string): void {
  for (const [number, { command, output: says }] of page.shown) {
    const from = output.indexOf(`${mark(number)}\n`);
    const to = output.indexOf(END_MARK, from);
    assert.ok(from >= 0 && to > from, `not run: $ ${command}\n\n${output}`);
    const actual = still(output.slice(from + mark(number).length + 1, to).trimEnd()).split("\n");
    const expected = still(says.join("\n")).split("\n");
    const same = fits(expected, actual);
    assert.ok(
      same,
      `$ ${command}\n\nThe page says:\n${says.join("\n")}\n\nIt printed:\n${actual.join("\n")}`,
    );
  }
}

const bubblewrap = await has("bwrap") &&
  await ran("bwrap", "--unshare-user", "--unshare-net", "--dev-bind", "/", "/", "true")
    .then(() => true, () => false);

for (const name of PAGES) {
  const markdown = await Deno.readTextFile(`${FOLDER}/${name}`);
  const needs = needsOf(markdown);
  const missing: string[] = bubblewrap ? [] : ["bwrap"];
  for (const program of needs.programs) if (!await has(program)) missing.push(program);
  Deno.test({
    name: `docs/howto/${name}: its commands do what it says`,
    ignore: missing.length > 0,
    async fn() {
      const page = howtoPage(markdown);
      assert.ok(page.run > 0, "nothing is run");
      const { code, output } = await printedBy(page, needs);
      assert.equal(code, 0, output);
      compare(page, output);
    },
  });
}

Deno.test("what a how-to page leaves to a person is said with a reason", async () => {
  for (const name of PAGES) {
    const markdown = await Deno.readTextFile(`${FOLDER}/${name}`);
    for (const [, why] of markdown.matchAll(/<!-- by hand(?:: (.*?))? -->/g)) {
      assert.ok(why !== undefined && why.length > 15, `${name}: say why it is done by hand`);
    }
  }
});
