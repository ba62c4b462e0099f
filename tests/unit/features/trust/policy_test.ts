import assert from "node:assert/strict";
import fc from "fast-check";
import { CAPABILITIES, type Capability, PROFILES, TRUST_LEVELS } from "svc/core/permission.ts";
import { decide, explain } from "svc/features/trust/policy.ts";
import {
  POLICY_PARTS,
  type PolicyPart,
  type PolicyQuestion,
} from "svc/features/trust/policy_question.ts";
import { verifies } from "tests/kit/verifies.ts";
import { allowedQuestion } from "./example_question.ts";

const ALL = Object.keys(CAPABILITIES) as Capability[];

interface Row {
  readonly profile: typeof PROFILES[number];
  readonly roleTrust: typeof TRUST_LEVELS[number];
  readonly sourceTrust: typeof TRUST_LEVELS[number];
  readonly listed: boolean;
  readonly need: Capability;
  readonly guarded: boolean;
}

function* rows(): Generator<Row> {
  for (const profile of PROFILES) {
    for (const roleTrust of TRUST_LEVELS) {
      for (const sourceTrust of TRUST_LEVELS) {
        for (const listed of [true, false]) {
          for (const need of ALL) {
            for (const guarded of [true, false]) {
              yield { profile, roleTrust, sourceTrust, listed, need, guarded };
            }
          }
        }
      }
    }
  }
}

/** The rules in words that are not the code's: who must say no, in order, or undefined for yes. */
function expected(row: Row): PolicyPart | undefined {
  if (row.profile === "isolated") return "profile";
  if (row.need === "finish") return undefined;
  const changes = ["write", "exec", "shell", "vcs-write", "net"].includes(row.need);
  const objections: [PolicyPart, boolean][] = [
    ["profile", changes && row.profile !== "host"],
    ["role_trust", changes && row.roleTrust !== "contributor"],
    ["source_trust", changes && row.sourceTrust !== "contributor"],
    ["role_tools", !row.listed],
    ["guardrails", row.guarded],
  ];
  return objections.find(([, no]) => no)?.[0];
}

function asQuestion({ listed, need, guarded, ...rest }: Row): PolicyQuestion {
  return {
    ...allowedQuestion,
    ...rest,
    roleTools: listed ? ["file_edit"] : ["file_read"],
    capabilities: [need],
    writes: [guarded ? "infra/main.tf" : "src/main.ts"],
  };
}

verifies(
  [
    "1:execution-profile:observer-caps-trust",
    "1:execution-profile:observer-blocks-mutating-tools",
    "4.5:mutation:trust-alone-is-not-enough",
  ],
  "decide answers every combination as the plain rules do",
  () => {
    let allowed = 0;
    for (const row of rows()) {
      const verdict = decide(asQuestion(row));
      assert.equal(verdict.allowed ? undefined : verdict.by, expected(row), JSON.stringify(row));
      if (verdict.allowed) allowed++;
      else assert.ok(verdict.reason !== "" && verdict.remedy !== "");
    }
    // Allowed among the 336 cases: reads that are listed and free (8), finish (32), the five changes with every yes (5).
    assert.equal(allowed, 8 + 32 + 5);
  },
);

const anyQuestion: fc.Arbitrary<PolicyQuestion> = fc.record({
  profile: fc.constantFrom(...PROFILES),
  roleTrust: fc.constantFrom(...TRUST_LEVELS),
  sourceTrust: fc.constantFrom(...TRUST_LEVELS),
  role: fc.string(),
  roleTools: fc.option(fc.array(fc.constantFrom("file_edit", "command_run", "x")), {
    nil: undefined,
  }),
  guardrails: fc.record({
    denyPaths: fc.array(fc.string(), { maxLength: 3 }),
    denyCommands: fc.array(fc.string(), { maxLength: 3 }),
  }),
  tool: fc.constantFrom("file_edit", "command_run", "x"),
  capabilities: fc.subarray(ALL),
  writes: fc.array(fc.oneof(fc.string(), fc.string({ unit: "binary" })), { maxLength: 3 }),
  argv: fc.array(fc.string(), { maxLength: 4 }),
});

Deno.test("decide allows nothing but read and finish in observer profile, and nothing in isolated", () => {
  fc.assert(
    fc.property(anyQuestion, (question) => {
      const observer = decide({ ...question, profile: "observer" });
      if (observer.allowed) {
        assert.deepEqual(question.capabilities.filter((c) => c !== "read" && c !== "finish"), []);
      }
      assert.equal(decide({ ...question, profile: "isolated" }).allowed, false);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("decide never gains by less trust, and is what all parts of explain say", () => {
  fc.assert(
    fc.property(anyQuestion, (question) => {
      const verdict = decide(question);
      const parts = explain(question);
      assert.deepEqual(parts.map(({ part }) => part), [...POLICY_PARTS]);
      const no = parts.find(({ verdict }) => !verdict.allowed);
      assert.deepEqual(no?.verdict ?? { allowed: true }, verdict);
      for (const key of ["roleTrust", "sourceTrust"] as const) {
        const less = decide({ ...question, [key]: "observer" });
        assert.ok(verdict.allowed || !less.allowed);
      }
    }),
    { numRuns: 1000 },
  );
});

const remedyOf = (change: Partial<PolicyQuestion>) => {
  const verdict = decide({ ...allowedQuestion, ...change });
  return verdict.allowed ? "allowed" : `${verdict.by}: ${verdict.reason} | ${verdict.remedy}`;
};

Deno.test("decide says which part said no and exactly what would change it", () => {
  assert.equal(remedyOf({}), "allowed");
  const HOST = "--execution-profile host --acknowledge-host-execution";
  assert.equal(
    remedyOf({ profile: "observer" }),
    `profile: profile "observer" only reads, and file_edit needs "write" | Start svc with ${HOST}`,
  );
  assert.equal(
    remedyOf({ profile: "isolated", capabilities: ["finish"] }),
    `profile: profile "isolated" is unavailable | Leave --execution-profile out to only read, or ` +
      `pass ${HOST}`,
  );
  assert.equal(
    remedyOf({ roleTrust: "observer", capabilities: ["vcs-write", "net"], tool: "git_push" }),
    'role_trust: role "engineer" has observer trust on this repo, and git_push needs "vcs-write" ' +
      'and "net" | svc trust set engineer /work/app contributor --reason "why"',
  );
  assert.match(
    remedyOf({ roleTrust: "observer", repo: "/work/a b's" }),
    /svc trust set engineer '\/work\/a b'\\''s' contributor/,
  );
  assert.match(remedyOf({ roleTrust: "observer", roleTools: undefined }), /mcp serve --trust/);
  assert.match(remedyOf({ sourceTrust: "observer" }), /^source_trust: .*svc tickets move/);
  assert.equal(
    remedyOf({ role: "qa", roleTools: ["finish"] }),
    'role_tools: role "qa" is not given file_edit | Add "file_edit" to roles.qa.tools in ' +
      ".harness/manifest.yaml",
  );
  assert.equal(
    remedyOf({ writes: ["a.ts", "infra/x.tf"] }),
    'guardrails: "infra/x.tf" is covered by "infra/**" of guardrails.deny_paths | Remove ' +
      '"infra/**" from guardrails.deny_paths in .harness/manifest.yaml',
  );
  assert.equal(
    remedyOf({ tool: "command_run", capabilities: ["exec"], argv: ["git", "push"] }),
    'guardrails: "git push" runs "git push" of guardrails.deny_commands | Remove "git push" ' +
      "from guardrails.deny_commands in .harness/manifest.yaml",
  );
});

Deno.test("decide needs a tool of the repo's own to be listed too, unless the session has no role", () => {
  assert.match(remedyOf({ tool: "deploy", capabilities: ["exec"] }), /^role_tools/);
  assert.equal(
    remedyOf({ tool: "deploy", capabilities: ["exec"], roleTools: undefined }),
    "allowed",
  );
  assert.equal(remedyOf({ roleTools: undefined }), "allowed");
});

Deno.test("decide lets finish alone pass, not what needs more besides", () => {
  assert.equal(
    remedyOf({ capabilities: ["finish"], roleTools: [], profile: "observer" }),
    "allowed",
  );
  const both = ["finish", "write"] as const;
  assert.match(remedyOf({ capabilities: both, profile: "observer" }), /^profile/);
  assert.match(remedyOf({ capabilities: both, roleTrust: "observer" }), /^role_trust/);
  assert.match(remedyOf({ capabilities: both, roleTools: [] }), /^role_tools/);
  assert.match(remedyOf({ capabilities: [], roleTools: [] }), /^role_tools/);
});

Deno.test("decide lets a role only read where the manifest cannot be read", () => {
  const guardrails = { ...allowedQuestion.guardrails, fault: "line 3: no mapping" };
  const asked = { ...allowedQuestion, guardrails };
  const verdict = decide(asked);
  assert.equal(verdict.allowed ? undefined : verdict.by, "guardrails");
  for (const capabilities of [["read"], ["finish"]] as const) {
    assert.ok(decide({ ...asked, capabilities, writes: [] }).allowed);
  }
});
