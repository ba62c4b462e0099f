import assert from "node:assert/strict";
import fc from "fast-check";
import { isPlaceholder, isReference } from "svc/features/guardrails/placeholder.ts";
import {
  classesOf,
  entropy,
  longestRun,
  repeats,
  wordShare,
} from "svc/features/guardrails/randomness.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";
import {
  isPasswordName,
  isSecretKey,
  tellsOfSecret,
  wordsOf,
} from "svc/features/guardrails/secret_rules/names.ts";
import { isCommon, looksSecret } from "svc/features/guardrails/secret_value.ts";

const judge = (value: string, as: "password" | "key", quoted = true, program = false) =>
  looksSecret({ value, as, quoted, program });

Deno.test("entropy is the bits a character", () => {
  assert.equal(entropy("aaaa"), 0);
  assert.equal(entropy("abab"), 1);
  assert.equal(entropy("abcdefgh"), 3);
  assert.equal(entropy(""), 0);
});

Deno.test("longestRun counts equal, rising and falling neighbours", () => {
  assert.deepEqual(["aaaa", "x1234y", "dcba", "acegik", ""].map(longestRun), [4, 4, 4, 1, 1]);
});

Deno.test("repeats knows a block written again and again", () => {
  assert.deepEqual(["abcabcabc", "abab", "abcd", "aaa"].map(repeats), [true, false, false, true]);
});

Deno.test("wordShare tells words from drawn letters", () => {
  assert.ok(wordShare("databaseConnectionManager") > 0.9);
  assert.ok(wordShare("user_password_reset_token") > 0.7);
  for (let seed = 1; seed <= 50; seed++) {
    assert.ok(wordShare(new Draw(seed).lower(32)) < 0.75, `seed ${seed}`);
  }
});

Deno.test("classesOf counts lower case, upper case, digits and marks", () => {
  assert.deepEqual(["abc", "aB", "aB1", "aB1!", ""].map(classesOf), [1, 2, 3, 4, 0]);
});

Deno.test("wordsOf splits every way of writing a name", () => {
  for (const name of ["dbAdminPassword", "DB_ADMIN_PASSWORD", "db-admin.password"]) {
    assert.deepEqual(wordsOf(name), ["db", "admin", "password"]);
  }
  assert.deepEqual(wordsOf("AWSSecretKey"), ["aws", "secret", "key"]);
});

Deno.test("tellsOfSecret leaves out names about secrets and public values", () => {
  const tells = (name: string) => tellsOfSecret(wordsOf(name));
  for (const name of ["password", "DB_PASSWORD_2", "clientSecret", "authToken"]) {
    assert.ok(tells(name), name);
  }
  for (
    const name of [
      "passwordHash",
      "SECRET_NAME",
      "tokenUrl",
      "public_key",
      "nextPageToken",
      "token_type",
    ]
  ) assert.ok(!tells(name), name);
});

Deno.test("isPasswordName leaves out what passes by, as drivers of Linux write it", () => {
  const password = (name: string) => isPasswordName(wordsOf(name));
  for (const name of ["pass", "DB_PASS", "dbpass", "pwd", "bypass_password", "passphrase"]) {
    assert.ok(password(name), name);
  }
  for (const name of ["bypass_reg", "lpass", "LOWPASS_CTRL", "hipass_ctrl"]) {
    assert.ok(!password(name), name);
  }
});

Deno.test("isSecretKey asks what the key is for", () => {
  const secret = (name: string) => isSecretKey(wordsOf(name));
  for (const name of ["apiKey", "ENCRYPTION_KEY", "x-api-key", "accesskey", "signing.key"]) {
    assert.ok(secret(name), name);
  }
  for (const name of ["key", "sortKey", "PRIMARY_KEY", "menu_key"]) assert.ok(!secret(name), name);
});

Deno.test("isPlaceholder knows what people write for a secret", () => {
  for (
    const value of [
      "EXAMPLE_TOKEN_VALUE",
      "ghp_" + "x".repeat(36),
      "sk_live_" + "0".repeat(24),
      "abcdefghijklmnop1234567890",
      "your-api-key-goes-here",
      "ab12ab12ab12ab12",
      "AKIAIOSFODNN7" + "EXAMPLE",
    ]
  ) assert.ok(isPlaceholder(value), value);
});

Deno.test("isPlaceholder hardly ever takes a drawn token for one", () => {
  let refused = 0;
  for (let seed = 1; seed <= 5000; seed++) if (isPlaceholder(new Draw(seed).base62(40))) refused++;
  assert.ok(refused <= 3, `${refused} of 5,000`);
});

Deno.test("isReference knows variables, templates and stores", () => {
  for (
    const value of [
      "$TOKEN",
      "${DB_PASSWORD}",
      "{{ .Values.key }}",
      "<%= key %>",
      "process.env.KEY",
      "op://v/i/p",
      "vault:kv/x",
      "<token>",
      "%KEY%",
    ]
  ) assert.ok(isReference(value), value);
  assert.ok(!isReference("p$9Zk2Lm"));
});

Deno.test("isCommon sees through digits for letters, in time that does not grow with the text", () => {
  for (const value of ["password123", "P@ssw0rd!", "admin_test", "changeit", "letmein-1"]) {
    assert.ok(isCommon(value), value);
  }
  assert.ok(!isCommon("kX9mPq2z"));
  assert.ok(!isCommon(`${"mypass".repeat(80)}x`));
});

Deno.test("looksSecret takes what machines draw, but for one in a hundred that reads like words", () => {
  let refused = 0;
  for (let seed = 1; seed <= 250; seed++) {
    const draw = new Draw(seed);
    const drawn = [draw.hex(32), draw.hex(64), `${draw.base62(24)}42`, `${draw.url64(43)}7`];
    for (const value of drawn) if (!judge(value, "key")) refused++;
  }
  assert.ok(refused <= 10, `${refused} of 1,000`);
});

Deno.test("looksSecret takes what people choose", () => {
  for (const value of ["kX9mPq2zT", "Tr7!vq-Lm2", "9sK#wq!z", "hG7kLm9Q"]) {
    assert.ok(judge(value, "password"), value);
  }
});

Deno.test("looksSecret refuses what programs and texts say", () => {
  for (
    const value of [
      "changeme",
      "process.env.DB_PASSWORD",
      "550e8400-e29b-41d4-a716-446655440000",
      "/run/secrets/db",
      "https://auth.acme.test/token",
      "sha512-abcdef",
      "users.profile.password",
      "my-secret-name",
      "Enter your password",
      "getPassword()",
      "1.2.3-beta",
      "2026-01-02T03:04:05Z",
      "$2b$12$abcdefghijklmnopqrstuv",
      "ssh-ed25519",
      "password_incorrect_227_format",
      btoa("user:password"),
    ]
  ) {
    assert.ok(!judge(value, "password"), value);
    assert.ok(!judge(value, "key"), value);
  }
});

Deno.test("looksSecret refuses the characters that an encoder lets through", () => {
  for (
    const value of [
      "^A-Za-z0-9\\-._~!$&",
      "a-zA-Z0-9!#$%&'*+/=?^_`{|}~-",
      "0-9a-z_!@#$%^&*():;,.?+~XYZ1",
    ]
  ) {
    for (const as of ["password", "key"] as const) assert.equal(judge(value, as), false, value);
  }
});

Deno.test("looksSecret ends for every text and never throws", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 600 }),
      fc.boolean(),
      fc.boolean(),
      (value, quoted, program) => {
        judge(value, "password", quoted, program);
        judge(value, "key", quoted, program);
      },
    ),
    { numRuns: 1000 },
  );
});
