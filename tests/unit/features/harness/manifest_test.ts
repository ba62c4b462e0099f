import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { readManifest, unknownKeys } from "svc/features/harness/manifest.ts";

const GOOD = `version: 1
project: {name: demo, checks: [{name: test, run: [make, test]}]}
roles:
  engineer:
    prompt: roles/engineer.md
    trust: contributor
    tools: [file_read, finish]
    triggers: [{on: cron, schedule: "0 6 * * 1"}]
    limits: {budget_tokens: 400k}
    routes:
      submitted: {ticket: review, next: qa}
  qa:
    prompt: roles/qa.md
`;

Deno.test("readManifest fills in the defaults", () => {
  const manifest = readManifest(GOOD);
  assert.equal(manifest.roles["qa"]?.trust, "observer");
  assert.deepEqual(manifest.dispatch, {
    mode: "routed",
    merge: "local",
    max_rework: 3,
    stale_ticket_hours: 24,
  });
  assert.equal(manifest.project.checks[0]?.timeout_seconds, 600);
});

Deno.test("readManifest parses those of hundreds of repos once each", () => {
  const texts = Array.from(
    { length: 300 },
    (_, nth) => GOOD.replace("version: 1", `version: 1 # ${nth}`),
  );
  assert.equal(new Set(texts).size, 300);
  const first = texts.map(readManifest);
  texts.forEach((text, nth) => assert.equal(readManifest(text), first[nth]));
  const long = "#".repeat(100_000);
  for (let nth = 0; nth < 30; nth++) readManifest(`${GOOD}${long}${nth}\n`);
  assert.notEqual(readManifest(texts[0]!), first[0], "what is held is bounded");
});

Deno.test("readManifest lets unknown keys outside of roles pass", () => {
  assert.ok(readManifest(`${GOOD}future: 1\n`));
});

Deno.test("unknownKeys names what is passed over, with its place", () => {
  assert.deepEqual(unknownKeys(GOOD), []);
  const odd = GOOD.replace("name: demo,", "name: demo, colour: red,");
  assert.deepEqual(unknownKeys(`${odd}dispatch: {max_reworks: 2}\nfuture: 1\n`), [
    "project.colour",
    "dispatch.max_reworks",
    "future",
  ]);
});

const BROKEN: readonly (readonly [name: string, from: string, to: string, text: RegExp])[] = [
  ["a route to a role that is not there", "next: qa", "next: qa2", /line 11, column \d+.*"qa2"/],
  ["an unknown key of a role", "trust:", "trsut:", /line 6, column 5.*Did you mean "trust"/],
  [
    "a trigger of a state that no ticket has",
    '{on: cron, schedule: "0 6 * * 1"}',
    "{on: ticket, state: in_progress}",
    /line 8.*"backlog"\|"in-progress"/,
  ],
  ["an unknown disposition", "submitted:", "sumbitted:", /line 11/],
  [
    "a trust level above what there is",
    "contributor",
    "admin",
    /line 6.*"observer"\|"contributor"/,
  ],
  ["a prompt outside the repo", "roles/qa.md", "../qa.md", /inside the repo/],
  ["an absolute prompt", "roles/qa.md", "/etc/qa.md", /inside the repo/],
  ["another version", "version: 1", "version: 2", /line 1/],
  ["no roles", GOOD.slice(GOOD.indexOf("roles:")), "roles: {}\n", /at least one role/],
  ["no YAML", "roles:", "roles: [", /line \d+, column \d+/],
];
for (const [name, from, to, text] of BROKEN) {
  Deno.test(`readManifest refuses ${name}`, () => {
    assert.throws(
      () => readManifest(GOOD.replace(from, to)),
      (error) => {
        assert.ok(error instanceof Failure);
        assert.match(error.message, /^Cannot read "\.harness\/manifest\.yaml"/);
        assert.match(error.message, text);
        return true;
      },
    );
  });
}
