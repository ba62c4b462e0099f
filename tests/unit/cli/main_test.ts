import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { TREE } from "svc/cli/tree.gen.ts";

const visible = Object.entries(TREE.commands).filter(([, { hidden }]) => !hidden);

Deno.test("svc without words is its help", async () => {
  const bare = await svc([]);
  assert.equal(bare.code, 0);
  assert.equal(bare.stdout, (await svc(["--help"])).stdout);
});

for (const [path, command] of visible) {
  Deno.test(`help of "svc ${path}" names its flags and shows examples`, async () => {
    const { code, stdout, stderr } = await svc([...path.split(" "), "--help"]);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const key of Object.keys(command.flags)) {
      assert.ok(stdout.includes(`--${key.replace(/[A-Z]/g, (l) => `-${l.toLowerCase()}`)}`), key);
    }
    for (const { line } of command.examples) assert.ok(stdout.includes(line), line);
    assert.ok(command.examples.length > 0);
    assert.equal((await svc(["help", ...path.split(" ")])).stdout, stdout);
  });
}

Deno.test("help lists every group and top-level command, and nothing hidden", async () => {
  const { stdout } = await svc(["--help"]);
  for (const [path] of visible) assert.match(stdout, new RegExp(`^  ${path.split(" ")[0]} `, "m"));
  assert.ok(!stdout.includes("internal"));
});

Deno.test("help fits the terminal and is styled there alone", async () => {
  const narrow = await svc(["--help"], { columns: 60, env: { TERM: "xterm" } });
  // deno-lint-ignore no-control-regex -- ANSI sequences take no room
  const lines = narrow.stdout.replace(/\x1b\[\d+m/g, "").split("\n");
  assert.ok(narrow.stdout.includes("\x1b[1m"));
  for (const env of [{ NO_COLOR: "1" }, { CI: "true" }, { TERM: "dumb" }]) {
    assert.ok(!(await svc(["--help"], { columns: 60, env })).stdout.includes("\x1b["));
  }
  assert.ok(!(await svc(["--help"])).stdout.includes("\x1b["));
  assert.ok(lines.length > 10);
});

const MISTYPED: readonly (readonly [args: readonly string[], text: RegExp, hint: RegExp])[] = [
  [["versoin"], /unknown command "versoin"/, /Did you mean "version"\?/],
  // These begin aliases too.
  [["updat"], /unknown command "updat"/, /Did you mean "update"\?/],
  [["node"], /unknown command "node"/, /Did you mean "nodes"\?/],
  [["--versoin"], /unknown flag "--versoin"/, /svc --help/],
  [["version", "--jsno"], /unknown flag "--jsno"/, /Did you mean "--json"\?/],
  // What every object has is no command.
  [["constructor"], /unknown command "constructor"/, /svc --help/],
  [["help", "toString"], /unknown command "toString"/, /svc --help/],
  [["help", "versoin"], /unknown command "versoin"/, /Did you mean "version"\?/],
  [["version", "extra"], /unexpected argument "extra"/, /svc version --help/],
];
for (const [args, text, hint] of MISTYPED) {
  Deno.test(`svc ${args.join(" ")} exits 2 with the way out`, async () => {
    const { code, stdout, stderr } = await svc(args);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, text);
    assert.match(stderr, hint);
  });
}

Deno.test("a failure under --json is one object on stdout", async () => {
  for (const mode of ["--json", "--json=true", "--json=Yes", "--json=1"]) {
    const { code, stdout, stderr } = await svc(["versoin", mode]);
    assert.deepEqual([code, stderr], [2, ""], mode);
    const { ok, error } = JSON.parse(stdout);
    assert.equal(ok, false);
    assert.equal(error.code, "usage");
    assert.match(error.remediation, /Did you mean/);
  }
  for (const words of [["--json=false"], ["--", "--json"]]) {
    const { stdout, stderr } = await svc(["versoin", ...words]);
    assert.equal(stdout, "");
    assert.match(stderr, /^svc: /);
  }
});

Deno.test("a token typed by mistake is not shown in the failure", async () => {
  const token = ["gh", "p_", "x7Kq2Vb9".repeat(4), "Zk3M"].join("");
  const { stderr } = await svc(["version", token], { env: { SVC_HOME: "/nonexistent/home" } });
  assert.ok(!stderr.includes(token), stderr);
  const known = "hunter2-hunter2";
  const shown = await svc(["version", known], { env: { SVC_TELEMETRY_TOKEN: known } });
  assert.ok(!shown.stderr.includes(known), shown.stderr);
});

Deno.test("version needs no home", async () => {
  assert.equal((await svc(["version"], { env: {} })).code, 0);
});

Deno.test("a scan needs no home that can be written", async () => {
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  const env = { SVC_HOME: "/dev/null/home", PATH: "/usr/local/bin:/usr/bin:/bin" };
  const { code, stdout } = await svc(["guardrails", "secret-scan", "--repo", repo.path], { env });
  assert.equal(code, 0);
  assert.match(stdout, /^no secrets found/);
});

verifies("1:output:json", "modes may stand before the command", async () => {
  assert.ok(JSON.parse((await svc(["--json", "version"])).stdout).version);
});

Deno.test("--db takes the address of a server wherever it names the state of svc", () => {
  const files = visible.filter(([, { flags }]) =>
    flags.db !== undefined && flags.db.server !== true
  )
    .map(([path]) => path);
  // The database that goes with a harness, and reports of other machines, are files.
  assert.deepEqual(files, ["eject", "telemetry collect", "telemetry triage-foundation"]);
});
