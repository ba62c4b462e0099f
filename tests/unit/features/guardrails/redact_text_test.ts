import assert from "node:assert/strict";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";
import { scanText } from "svc/features/guardrails/scan_text.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

const draw = new Draw(21);
const GITHUB = `ghp_${draw.base62(36)}`;

Deno.test("redactSecrets replaces a structured secret by its rule", () => {
  assert.equal(
    redactSecrets(`push failed for ${GITHUB}.`),
    "push failed for [redacted:github-pat].",
  );
  assert.equal(
    redactSecrets(`clone https://bot:${draw.letters(9)}77x@git.internal/a.git`),
    "clone https://bot:[redacted:url-credentials]@git.internal/a.git",
  );
});

Deno.test("redactSecrets leaves ordinary text as it is", () => {
  for (
    const text of [
      "",
      "GET /api/tickets/3f2b 200 12 ms",
      "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12 on main",
      "password: changeme",
      "id 550e8400-e29b-41d4-a716-446655440000 at 2026-01-02T03:04:05Z",
    ]
  ) assert.equal(redactSecrets(text), text);
});

Deno.test("redactSecrets lets no svc:allow through", () => {
  assert.ok(!redactSecrets(`${GITHUB} svc:allow`).includes(GITHUB));
});

Deno.test("redactSecrets takes every structured rule's example out of a log line", () => {
  for (const rule of secretRules()) {
    if (rule.kind !== "structured") continue;
    for (const example of rule.examples(new Draw(33))) {
      const out = redactSecrets(`2026-01-02T03:04:05Z WARN ${example} done`);
      assert.match(out, /\[redacted:[a-z0-9-]+\]/, rule.id);
    }
  }
});

Deno.test("redactSecrets names no rule but structured ones, though all are compiled together", () => {
  const structured = new Set(
    secretRules().filter(({ kind }) => kind === "structured").map(({ id }) => id),
  );
  const lines = secretRules().flatMap((rule) => rule.examples(new Draw(34)));
  const named = new Set(
    lines.flatMap((line) =>
      [...redactSecrets(line).matchAll(/\[redacted:([\w-]+)\]/g)].map(([, id]) => id)
    ),
  );
  assert.deepEqual(named.difference(structured), new Set());
  assert.ok(named.size > 50);
});

Deno.test("redactSecrets finds a login in a URL that stands percent-encoded in another", () => {
  const password = `Kp7x${draw.base62(8)}`;
  const login = `https://deploy:${password}@git.internal/a.git`;
  for (const levels of [1, 2]) {
    let inner = login;
    for (let i = 0; i < levels; i++) inner = encodeURIComponent(inner);
    for (const text of [inner, inner.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())]) {
      const out = redactSecrets(`GET https://ci.internal/new?from=${text}&branch=main failed`);
      assert.ok(!out.includes(password), out);
      assert.match(out, /deploy%(?:25)?3a\[redacted:url-credentials\]%(?:25)?40git/i);
    }
  }
});

Deno.test("redactSecrets takes a percent-encoded password out whole, with what it escapes itself", () => {
  const login = `postgres://app:Kp7%40x${draw.base62(8)}%2F9@db.internal:5432/app`;
  assert.equal(
    redactSecrets(`next=${encodeURIComponent(login)}`),
    "next=postgres%3A%2F%2Fapp%3A[redacted:url-credentials]%40db.internal%3A5432%2Fapp",
  );
});

Deno.test("redactSecrets finds whatever a scan by shapes finds, whichever characters were drawn", () => {
  for (const rule of secretRules()) {
    if (rule.kind !== "structured") continue;
    for (let seed = 1; seed <= 150; seed++) {
      for (const text of rule.examples(new Draw(seed))) {
        const options = { now: () => 0, allow: false, shapesOnly: true };
        if (scanText(text, allRules(), options).hits.length === 0) continue;
        assert.notEqual(redactSecrets(text), text, `${rule.id}, seed ${seed}`);
      }
    }
  }
});

Deno.test("redactSecrets finds secrets that are short, divided, or without a digit", () => {
  const upper = (count: number) => draw.from("BCDFGHJKLMNPQRSTVWXZ", count);
  const lower = (count: number) => draw.from("bcdfghjklmnpqrstvwxz", count);
  const short = `${draw.letters(3)}${draw.digits(3)}x`;
  for (
    const [text, rule] of [
      [`AKIA${upper(16)}`, "aws-access-key-id"],
      [`glpat-${upper(1)}${lower(5)}_${lower(7)}_${lower(5)}`, "gitlab-pat"],
      [`rzp_live_${lower(14)}`, "razorpay-key"],
      [`db.internal:5432:app:app:${short}`, "pgpass-password"],
      [`jdbc:oracle:thin:app/${short}@db.internal:1521:orcl`, "oracle-jdbc-login"],
    ] as const
  ) assert.match(redactSecrets(`saw ${text}`), new RegExp(`\\[redacted:${rule}\\]`), rule);
});
