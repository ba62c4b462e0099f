/** What a start says that it found, however much it is. */
import assert from "node:assert/strict";
import { findingsIn } from "svc/runtime/start/findings.ts";
import { FACTS, ticket } from "tests/unit/runtime/start_kit.ts";

Deno.test("of many blocked tickets ten are named, questions first, and the others are counted", () => {
  const question = { asked: "Which?", choices: [], why: "", role: "engineer", job: "one" };
  const tickets = Array.from({ length: 130 }, (_, at) => {
    const id = `T-${1000 + at}`;
    return ticket("blocked", { id, ...(at === 129 && { question }) });
  });
  const said = findingsIn({ ...FACTS, tickets });
  assert.equal(said.filter((text) => text.includes("is blocked until ada")).length, 9);
  assert.match(said[0]!, /^T-1129 waits for an answer to engineer: Which\?; svc tickets answer/);
  assert.match(
    said.join("\n"),
    /^120 more tickets are blocked: svc tickets list --state blocked --repo \//m,
  );
  const few = findingsIn({ ...FACTS, tickets: tickets.slice(0, 10) });
  assert.equal(few.filter((text) => text.includes("is blocked until ada")).length, 10);
  assert.doesNotMatch(few.join("\n"), /more tickets/);
});

Deno.test("a check that cannot start is told with what installs it, before a ticket waits for it", () => {
  const check = { name: "lint", run: ["ruff", "check", "."], timeout_seconds: 600 };
  const facts = { ...FACTS, absent: [{ check, program: "ruff" }] };
  const said =
    'it cannot run check "lint", "ruff check .": PATH has no program "ruff": tickets wait for it';
  assert.ok(
    findingsIn(facts).some((text) => text.startsWith(`${said}. Install ruff, or take "lint"`)),
  );
  const manifest = { ...FACTS.manifest!, project: { ...FACTS.manifest!.project, setup: [check] } };
  assert.ok(
    findingsIn({ ...facts, manifest }).some((text) =>
      text.startsWith(`${said}, unless project.setup brings it`)
    ),
  );
});
