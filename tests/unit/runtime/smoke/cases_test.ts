import assert from "node:assert/strict";
import { bundledHarness } from "svc/runtime/start/scaffold.ts";
import { smokeAdvice } from "svc/runtime/smoke/advice.ts";
import { casesFor, SMOKE_FILES, type SmokeSeen } from "svc/runtime/smoke/cases.ts";
import type { SmokeOutcome } from "svc/runtime/smoke/report.ts";

const { manifest } = bundledHarness({ root: "/r", branch: "main" });

const CASES = Object.values(manifest.roles).flatMap((role) => casesFor(role, "host"));

interface Seen {
  readonly disposition: SmokeSeen["report"]["disposition"];
  readonly evidence?: string;
  readonly checks?: SmokeSeen["report"]["checks"];
  readonly next?: string;
  readonly tickets?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

async function judged(id: string, seen: Seen): Promise<string | undefined> {
  const [look] = casesFor({ routes: {} }, "host");
  const smoke = [...CASES, look!].find((one) => one.id === id)!;
  const { disposition, evidence = "done", checks = "passed", next = "svc run" } = seen;
  return await smoke.judge({
    report: { disposition, evidence, checks, next, changed: [] },
    newTickets: seen.tickets ?? [],
    file: (path) => Promise.resolve({ ...SMOKE_FILES, ...seen.files }[path]),
  });
}

Deno.test("what a role is for decides its tasks; in observer profile each one only looks", () => {
  const ids = (profile: "observer" | "host") =>
    Object.fromEntries(
      Object.entries(manifest.roles).map((
        [name, role],
      ) => [name, casesFor(role, profile).map(({ id }) => id).join()]),
    );
  assert.deepEqual(ids("host"), {
    ceo: "plan",
    orchestrator: "choose",
    engineer: "mend",
    qa: "approve,send_back",
    gardener: "documents",
  });
  assert.deepEqual(new Set(Object.values(ids("observer"))), new Set(["look"]));
  assert.deepEqual(casesFor({ routes: {} }, "host").map(({ id }) => id), ["look"]);
});

const SUM = { "add.sh": "echo $(($1 + $2))\n" };

const VERDICTS: readonly (readonly [id: string, seen: Seen, why: RegExp | undefined])[] = [
  ["mend", { disposition: "submitted", files: SUM }, undefined],
  ["mend", { disposition: "submitted" }, /as wrong as before/],
  ["mend", { disposition: "submitted", files: SUM, checks: "failed" }, /checks are failed/],
  [
    "mend",
    { disposition: "submitted", files: { ...SUM, "test.sh": "true\n" } },
    /changed what the test expects/,
  ],
  ["mend", { disposition: "blocked", files: SUM, evidence: "cannot" }, /ended as blocked: cannot/],
  ["approve", { disposition: "approved" }, undefined],
  ["approve", { disposition: "changes_requested" }, /ended as changes_requested/],
  ["send_back", { disposition: "changes_requested" }, undefined],
  ["send_back", { disposition: "approved" }, /ended as approved/],
  ["plan", { disposition: "planned", tickets: ["Write multiply.sh"] }, undefined],
  ["plan", { disposition: "planned" }, /wrote no ticket/],
  ["plan", { disposition: "no_work", tickets: ["x"] }, /ended as no_work/],
  ["choose", { disposition: "routed", evidence: "T-0002: first" }, undefined],
  ["choose", { disposition: "routed", evidence: "T-0001: p1" }, /chose T-0001/],
  ["choose", { disposition: "routed", evidence: "the first" }, /chose no ticket/],
  [
    "choose",
    { disposition: "routed", evidence: "not T-0001", next: "svc run engineer --ticket T-0002" },
    undefined,
  ],
  ["documents", { disposition: "reported", tickets: ["README names check.sh"] }, undefined],
  ["documents", { disposition: "reported" }, /without a ticket/],
  ["documents", { disposition: "submitted" }, undefined],
  ["documents", { disposition: "submitted", files: { "README.md": "sh check.sh" } }, /check\.sh/],
  ["documents", { disposition: "no_work" }, /ended as no_work/],
  ["look", { disposition: "blocked", evidence: "add.sh subtracts" }, undefined],
  ["look", { disposition: "blocked", evidence: "test.sh" }, /does not name add\.sh/],
  ["look", { disposition: "stuck", evidence: "add.sh" }, /ended as stuck/],
];

for (const [id, seen, why] of VERDICTS) {
  const right = why === undefined ? "right" : "wrong";
  Deno.test(`the task ${id} ended as ${JSON.stringify(seen)} is ${right}`, async () => {
    const found = await judged(id, seen);
    if (why === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", why);
  });
}

const OUTCOME: SmokeOutcome = {
  ...{ id: "mend", wanted: "", status: "failed", why: "", remedy: null, disposition: "stuck" },
  ...{ evidence: "", model: null, checks: null, turns: 0, tool_calls: 0, denials: 0 },
  ...{ tokens_in: 0, tokens_out: 0, ms: 0 },
};

Deno.test("what to change follows from how a task ended, said once", () => {
  const advice = (outcome: Partial<SmokeOutcome>) =>
    smokeAdvice([
      { role: "qa", verdict: "failed", cases: [{ ...OUTCOME, ...outcome }] },
      { role: "qa", verdict: "failed", cases: [{ ...OUTCOME, ...outcome }] },
    ]);
  assert.deepEqual(advice({ status: "passed" }), []);
  const said = [
    advice({ disposition: "stuck" }),
    advice({ disposition: "timed_out" }),
    advice({ disposition: "model_error" }),
    advice({ disposition: "budget_exhausted" }),
    advice({ disposition: "approved", id: "send_back" }),
    advice({ disposition: "changes_requested", id: "approve" }),
    advice({ disposition: "blocked" }),
    advice({ status: "not_run", disposition: null, remedy: "svc setup" }),
  ];
  const wanted = [
    /went in circles.*svc models override --role qa/,
    /too slow.*svc models evaluate/,
    /svc models evaluate shows/,
    /limits\.budget_tokens/,
    /do not let it judge alone/,
    /sends right work back/,
    /did not do "mend" as it should/,
    /could not run: svc setup/,
  ];
  for (const [at, [line, ...more]] of said.entries()) {
    assert.match(line!, wanted[at]!);
    assert.deepEqual(more, []);
  }
});
