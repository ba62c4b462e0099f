/** What no role commits, since nobody could say what it is: odd names, and files that no scan reads. */
import assert from "node:assert/strict";
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { guardBranch, protectedIn } from "svc/features/guardrails/commit_guard.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";

const guardrails = guardrailsOf(undefined);

const objections = (path: string, usable = true) =>
  protectedIn([{ path, usable }], { role: "engineer", guardrails }).map(({ reason }) => reason);

Deno.test("a name that is not UTF-8, or has a control character, is a person's to commit", () => {
  assert.deepEqual(objections("src/ä b.ts"), []);
  assert.match(objections("src/a\ufffd.ts", false).join(), /: not usable as a path: not UTF-8/);
  for (const character of ["\n", "\x00", "\x1b", "\x7f"]) {
    assert.match(objections(`src/a${character}.ts`).join(), /: not usable as a path: not UTF-8/);
  }
});

Deno.test("a branch with a file that is too large to be scanned stays here", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  const message = "feat: b\n\nSvc-Role: engineer\nSvc-Job: j1";
  const head = await repo.commit(message, { b: "x\n".repeat(SECRET_FILE_BYTES / 2 + 1) });
  using tree = await checkoutAt(repo.path);
  const into = "refs/heads/main";
  const commits = await tree.git.commitsSince(head, into);
  const branch = { head, into, commits, makers: new Map() };
  const found = await guardBranch({ tree, guardrails }, branch);
  assert.match(found.objections.join(), /^secrets in its commits: b: could not be scanned/);
});
