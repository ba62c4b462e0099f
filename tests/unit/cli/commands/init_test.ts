/** `svc init` in repos whose own rules ignore what it writes. */
import assert from "node:assert/strict";
import { run } from "tests/unit/features/release/history.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("the command that init names commits a harness that the repo ignores, and no key", async () => {
  await using repo = await tempRepo({
    files: { "a.txt": "a\n", ".gitignore": ".*\n!.gitignore\ndocs/\n" },
    commit: true,
  });
  const { code, stdout } = await run(repo, "init", "--yes", "--plain");
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^note: \.gitignore leaves out \d+ files of these$/m);
  const line = /^next: .*then: (.*)$/m.exec(stdout)![1]!;
  await repo.write(".harness/.env.local", "KEY=1\n");
  await repo.write("docs/built.html", "<p>\n");
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  const shell = new Deno.Command("sh", { args: ["-c", `${line} -q -m x`], cwd: repo.path });
  const done = await shell.output();
  assert.equal(done.code, 0, new TextDecoder().decode(done.stderr));
  const kept = (await repo.git("ls-files")).split("\n");
  assert.ok(kept.includes(".harness/manifest.yaml") && kept.includes("docs/tickets/README.md"));
  assert.ok(!kept.includes(".harness/.env.local") && !kept.includes("docs/built.html"));
});

Deno.test("where nothing is ignored, init names git add -A alone", async () => {
  await using repo = await tempRepo({ files: { "a.txt": "a\n" }, commit: true });
  const { stdout } = await run(repo, "init", "--yes", "--plain");
  assert.match(stdout, /then: git add -A && git commit$/m);
  assert.doesNotMatch(stdout, /leaves out/);
});
