import assert from "node:assert/strict";
import { serveCompletion } from "svc/cli/completion/serve.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { svc } from "tests/kit/entrance.ts";
import { SAMPLE_TREE } from "tests/shells/sample_tree.ts";

interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What `svc __complete` prints over the sample tree. */
async function serve(args: readonly string[], { cwd = "/", env = {} }: Place = {}) {
  let text = "";
  const code = await serveCompletion(
    {
      ...denoEntrance(new URL("../../../../main.ts", import.meta.url).href),
      stdout: { terminal: false, columns: () => undefined, write: (more) => void (text += more) },
      env: { get: (name) => env[name], all: () => env, forget() {} },
      cwd: () => cwd,
    },
    args,
    SAMPLE_TREE,
  );
  assert.equal(code, 0);
  return text;
}

async function repoWith(manifest: string) {
  const root = await Deno.makeTempDir({ prefix: "svc-serve-" });
  await Deno.mkdir(`${root}/repo/.harness`, { recursive: true });
  await Deno.writeTextFile(`${root}/repo/.harness/manifest.yaml`, manifest);
  return { root, [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }) };
}

Deno.test("__complete of svc answers on stdout alone", async () => {
  const { code, stdout, stderr } = await svc(["__complete", "--", "vers"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(stdout, "\nversion\tPrint the version of svc\n");
});

Deno.test("__complete prints the delegate first, then candidates with what they are about", async () => {
  assert.equal(
    await serve(["--", "scores", "--"]),
    "\n--json\tPrint one JSON object\n--help\tShow help\n",
  );
  assert.equal(await serve(["--", "run", "--trace", ""]), "files\n");
  assert.equal(await serve(["--", "checks", "run", "--", ""]), "command\n");
});

Deno.test("__complete leaves descriptions out, and begins a word, where it is told to", async () => {
  const line = ["--", "run", "--execution-profile"];
  assert.equal(await serve(["--next", ...line]), "\nobserver\tdefault\nhost\nisolated\n");
  assert.equal(
    await serve(["--no-descriptions", "--next", ...line]),
    "\nobserver\nhost\nisolated\n",
  );
});

Deno.test("__complete reads roles of the working directory or of --repo", async () => {
  await using here = await repoWith("roles:\n  qa lead: {}\n");
  const roles = "\nqa lead\n";
  const { root } = here;
  assert.equal(await serve(["--", "run", ""], { cwd: `${root}/repo` }), roles);
  assert.equal(await serve(["--", "run", ""], { cwd: root }), "\n");
  assert.equal(await serve(["--", "run", "--repo", `${root}/repo`, ""]), roles);
  assert.equal(await serve(["--", "run", `--repo=${root}/repo`, ""]), roles);
  assert.equal(await serve(["--", "run", "--repo", "repo", ""], { cwd: root }), roles);
  assert.equal(await serve(["--", "run", "--repo=~/repo", ""], { env: { HOME: root } }), roles);
});

Deno.test("__complete drops values that would trick a terminal or break a line", async () => {
  const odd = ["esc\u001b[2J", "rtl\u202ename", "tab\tbed", "bell\u0007", "fine ünïcode 你"];
  await using here = await repoWith(`roles:\n${odd.map((role) => `  "${role}": {}\n`).join("")}`);
  assert.equal(
    await serve(["--", "run", ""], { cwd: `${here.root}/repo` }),
    "\nfine ünïcode 你\n",
  );
});

Deno.test("__complete prints nothing where it cannot answer", async () => {
  assert.equal(await serve([]), "");
  assert.equal(await serve(["run", ""]), "");
  // No home can be named.
  assert.equal(await serve(["--", "trust", "engineer", ""]), "");
});
