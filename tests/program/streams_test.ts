/** Readers that go away, and homes that cannot be used. */
import assert from "node:assert/strict";
import { cannotMount, tmpfs } from "tests/kit/odd_disks.ts";
import { svcCommand } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

async function shell(line: string, env: Record<string, string> = {}) {
  const svc = svcCommand().map((word) => `'${word}'`).join(" ");
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", `set -o pipefail; svc() { ${svc} "$@"; }; ${line}`],
    env,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test("a reader that closes stdout early ends svc quietly", async () => {
  for (const args of ["--help", "version", "version --json"]) {
    const { stderr, code } = await shell(`svc ${args} | true`);
    assert.deepEqual([code, stderr], [0, ""]);
  }
});

Deno.test("a stdout that is closed from the start is no crash", async () => {
  const { stderr } = await shell("svc version >&-");
  assert.ok(!/error|panic|stack/i.test(stderr), stderr);
});

Deno.test("a stdout on a full disk is a clear failure", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const { code, stderr } = await shell("svc --help > /dev/full");
  assert.equal(code, 5);
  assert.match(stderr, /Cannot write the output.*\ntry: /);
});

Deno.test(
  "with --json too, and where what failed was the command itself: no crash, and told on stderr",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    const done = await shell("svc version --json > /dev/full");
    assert.equal(done.code, 5);
    assert.match(done.stderr, /^svc: Cannot write the output.*\ntry: .*\n$/);
    const failed = await shell("svc nonsense --json > /dev/full");
    assert.equal(failed.code, 2);
    assert.match(failed.stderr, /^svc: .*nonsense.*\ntry: .*\n$/);
    const untold = await shell("svc nonsense 2> /dev/full");
    assert.deepEqual([untold.code, untold.stdout], [2, ""]);
  },
);

const SAYS = `
import { denoEntrance } from "svc/platform/entrance.ts";
const { stderr } = denoEntrance(import.meta.url);
stderr.write("x".repeat(5000) + "\\n");
Deno.removeSync(Deno.args[0]);
stderr.write("after\\n");
`;

Deno.test("what a full disk does not take of stderr is left out, and ends nobody", {
  ignore: await cannotMount(),
}, async () => {
  await using disk = await tmpfs(64);
  await using folder = await tempFolder();
  await folder.write("says.ts", SAYS);
  await Deno.writeTextFile(`${disk.path}/said`, "before\n");
  await assert.rejects(Deno.writeFile(`${disk.path}/filler`, new Uint8Array(128 * 1024)));
  const words = ["run", "-A", "--no-check", "--config", "deno.json", `${folder.path}/says.ts`];
  const { code } = await new Deno.Command("sh", {
    args: ["-c", 'said=$1; shift; exec "$@" 2>> "$said"', "sh"].concat(
      ...[`${disk.path}/said`, Deno.execPath(), words, `${disk.path}/filler`],
    ),
  }).output();
  const said = await Deno.readTextFile(`${disk.path}/said`);
  assert.deepEqual([code, said.startsWith("before\nxx"), said.endsWith("after\n")], [
    0,
    true,
    true,
  ]);
});

/** A folder with a repo that has a harness, and one that is none. */
const PLACES =
  `cd "$(mktemp -d)"; export HOME=$PWD SVC_HOME=$PWD/.svc SHELL=/bin/mystery; mkdir bare;
  git init -q -b main app; svc init --repo app --yes > /dev/null`;

verifies(
  "7:cli:failure-exits-non-zero",
  "a failure of every kind exits with its own status and says the way out",
  async () => {
    const kinds: readonly (readonly [status: number, args: string])[] = [
      [1, "trust set engineer nowhere observer --reason why"],
      [2, "nonsense"],
      [2, "version --nonsense"],
      [2, "version more words"],
      [3, "eject --repo app --apply"],
      [4, "path setup"],
      [5, "scan --repo bare"],
      [6, "init --repo app --yes"],
    ];
    const lines = kinds.map(([, args]) => `svc ${args}; echo "status $?" >&2`);
    const json = 'svc init --repo app --yes --json | head -c 12; echo " $?"';
    const { stdout, stderr } = await shell(`${PLACES}; ${lines.join("; ")}; ${json}`);
    assert.equal(stdout, '{"ok":false, 6\n');
    const said = [...stderr.matchAll(/^svc: .+\ntry: .+\nstatus (\d+)$/gm)];
    assert.deepEqual(said.map(([, at]) => Number(at)), kinds.map(([status]) => status));
  },
);

verifies(
  ["4.5:release-verify-assets:unknown", "4.5:release-audit:unknown"],
  "the retired release commands are unknown",
  async () => {
    for (const args of ["release verify-assets", "release audit"]) {
      const { code, stderr } = await shell(`svc ${args}`);
      assert.equal(code, 2);
      assert.match(stderr, /unknown command/);
    }
  },
);
