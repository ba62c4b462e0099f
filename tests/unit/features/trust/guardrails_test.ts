import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import { guardrailsOf, pathObjection } from "svc/features/trust/guardrails.ts";
import { decide } from "svc/features/trust/policy.ts";
import { allowedQuestion } from "./example_question.ts";

const NONE = guardrailsOf(undefined);

Deno.test("pathObjection protects git, the harness, tickets and CI without any manifest", () => {
  const protectedPaths = [
    [".git/config", "git"],
    ["sub/.GIT/hooks/pre-commit", "git"],
    ["GIT~1/config", "git"],
    [".harness/manifest.yaml", "rules for roles"],
    [".Harness/.ENV.local", "rules for roles"],
    ["docs/tickets/done/T-0001-x.md", "ticket"],
    ["docs/Tickets", "ticket"],
    [".githooks/pre-commit", "hook"],
    [".Husky/_/h", "hook"],
    [".github/workflows/ci.yml", "CI"],
    [".gitlab-ci.yml", "CI"],
  ] as const;
  for (const [path, why] of protectedPaths) {
    assert.match(pathObjection(path, "engineer", NONE)?.reason ?? "free", new RegExp(why), path);
  }
  assert.equal(pathObjection("src/main.ts", "engineer", NONE), undefined);
  assert.equal(pathObjection(".github/CODEOWNERS", "engineer", NONE), undefined);
});

Deno.test("pathObjection refuses what is no plain path in the repo", () => {
  for (const path of ["/etc/passwd", "../x", "a/../.git/config", "", "a//b", "./a", "a\\..\\b"]) {
    assert.match(pathObjection(path, "engineer", NONE)?.reason ?? "free", /no plain path/, path);
  }
});

Deno.test("pathObjection lets the roles that the manifest names write CI files, and no others", () => {
  const manifest = readManifest(`version: 1
project: {name: demo}
roles:
  devops: {prompt: roles/devops.md, trust: contributor, tools: [file_edit]}
guardrails: {deny_paths: ["**/*.lock"], deny_commands: [git push], allow_ci_roles: [devops]}
`);
  const guardrails = guardrailsOf(manifest);
  const ci = ".github/workflows/ci.yml";
  assert.equal(pathObjection(ci, "devops", guardrails), undefined);
  const { remedy } = pathObjection(ci, "engineer", guardrails)!;
  assert.equal(
    remedy,
    'Add "engineer" to guardrails.allow_ci_roles in .harness/manifest.yaml',
  );
  // What it may not write otherwise stays so.
  assert.match(pathObjection(".git/config", "devops", guardrails)!.reason, /git/);
  assert.match(pathObjection("a/deno.lock", "devops", guardrails)!.reason, /deny_paths/);
});

Deno.test("a manifest that lets an unknown role write CI files is refused", () => {
  assert.throws(
    () =>
      readManifest(`version: 1
project: {name: demo}
roles: {qa: {prompt: roles/qa.md}}
guardrails: {allow_ci_roles: [devops]}
`),
    /names role "devops", which is not in roles/,
  );
});

Deno.test("a denied command is found in the words of a shell, whatever it is called", () => {
  const shell = (argv: readonly string[]) =>
    decide({
      ...allowedQuestion,
      tool: "command_run",
      capabilities: ["exec", "shell"],
      writes: [],
      argv,
    });
  assert.equal(shell(["/bin/sh", "-c", "make test"]).allowed, true);
  assert.equal(shell(["/bin/sh", "-c", "make test && git push"]).allowed, false);
  assert.equal(shell(["elvish", "-c", "git push"]).allowed, false);
});
