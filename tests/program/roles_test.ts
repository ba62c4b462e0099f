/** Every bundled role through `svc run`, in both profiles, with what its prompt tells it to call. */
import assert from "node:assert/strict";
import type { Scenario } from "tests/kit/model_endpoint.ts";
import { BUGGY, FIX, HOST, runSite } from "tests/kit/run_site.ts";

const call = (name: string, args: unknown) => ({ reply: { calls: [{ name, args }] } });
const end = (disposition: string, more: Record<string, string> = {}) =>
  call("finish", { disposition, evidence: `${disposition}: seen`, ...more });

/** As the prompts in assets/prompts ask for. */
const ROLES: NonNullable<Scenario["roles"]> = {
  ceo: [
    call("file_list", {}),
    call("ticket_create", {
      title: "Mend add",
      type: "bug",
      context: "add.sh:1 subtracts",
      acceptance: ["make test passes"],
    }),
    call("record_decision", {
      title: "First mend add",
      context: "the test is red",
      decision: "mend it before anything else",
      consequences: "the rest waits",
    }),
    end("planned"),
  ],
  orchestrator: [call("ticket_list", {}), end("routed", { ticket: "T-0001" })],
  engineer: FIX,
  qa: [call("git_diff", { since: "main" }), call("check_run", { name: "test" }), end("approved")],
  gardener: [
    call("file_read", { path: "README.md" }),
    call("file_edit", { path: "README.md", old: "make chekc", new: "make test" }),
    call("git_commit", { message: "docs: name the check as it is" }),
    end("submitted"),
  ],
};

const FILES = { ...BUGGY, "README.md": "# Demo\n\nRun make chekc.\n" };
const REPORTED: Readonly<Record<string, string>> = {
  ceo: "planned",
  orchestrator: "routed",
  engineer: "submitted",
  qa: "approved",
  gardener: "submitted",
};

Deno.test("each bundled role does its work in host profile, from plan to merged change", async () => {
  await using site = await runSite({ scenario: { roles: ROLES }, files: FILES });
  for (const [role, disposition] of Object.entries(REPORTED)) {
    const ran = await site.run(role, ...HOST, "--json");
    assert.equal(ran.code, 0, `${role}: ${ran.stderr}${ran.stdout}`);
    const report = ran.json();
    assert.equal(report.disposition, disposition, `${role}: ${report.evidence}`);
    assert.equal(report.denials, 0, role);
    assert.equal(await site.repo.git("status", "--porcelain"), "", `${role} left something behind`);
  }
  assert.match(await site.repo.read("add.sh"), /\+/);
  const files = await site.repo.git("ls-files", "docs");
  assert.match(files, /docs\/tickets\/done\/T-0001-mend-add\.md/);
  assert.match(files, /docs\/decisions\/0001-first-mend-add\.md/);
  // The gardener's change waits for qa on a branch of its own.
  assert.match(await site.repo.git("branch", "--list", "svc/gardener-*"), /svc\/gardener-/);
  assert.match(await site.repo.read("README.md"), /chekc/);
});

Deno.test("each bundled role only looks in observer profile, and its route is a rehearsal", async () => {
  await using site = await runSite({ scenario: { roles: ROLES }, files: FILES });
  await site.svc("tickets", "new", "--title", "Mend add");
  const before = await site.state();
  for (const [role, disposition] of Object.entries(REPORTED)) {
    const task = role === "qa" ? ["--ticket", "T-0001"] : [];
    const ran = await site.run(role, ...task, "--json");
    const report = ran.json();
    assert.equal(report.reported, disposition, `${role}: ${ran.stderr}`);
    assert.equal(report.decision.applied, false);
    assert.equal(await site.state(), before, `${role} changed the repo`);
  }
});
