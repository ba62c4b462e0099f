import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import type { Override } from "svc/features/models/choose/override_shape.ts";
import {
  editOverrides,
  type OverrideScope,
  parseOverrides,
} from "svc/features/models/choose/overrides.ts";
import { verifies } from "tests/kit/verifies.ts";

const OLLAMA: Override = { provider: "ollama", model: "qwen3:4b" };
const engineer: OverrideScope = { section: "roles", name: "engineer" };
const deep: OverrideScope = { section: "tiers", name: "deep" };

verifies("2.2:model-override:fields", "parseOverrides reads routes of tiers and roles", () => {
  const text = `
version: 1
tiers:
  deep: {provider: openai, model: gpt-5}
roles:
  engineer:
    provider: acme
    endpoint: https://llm.acme.example/v1
    api_key_env: ACME_KEY
`;
  assert.deepEqual(parseOverrides(text), {
    version: 1,
    tiers: { deep: { provider: "openai", model: "gpt-5" } },
    roles: {
      engineer: {
        provider: "acme",
        endpoint: "https://llm.acme.example/v1",
        api_key_env: "ACME_KEY",
      },
    },
  });
  for (const empty of ["", "\n", "# nothing yet\n", "version: 1\n"]) {
    assert.deepEqual(parseOverrides(empty), { version: 1, tiers: {}, roles: {} }, empty);
  }
});

Deno.test("parseOverrides names file, line and key of what is wrong, and no value that may be a key", () => {
  const table: readonly [text: string, message: RegExp][] = [
    ["version: 2\n", /\(line 1, column 1\): "version"/],
    ["tiers: {}\n", /"version": expected 1/],
    ["version: 1\nteirs: {}\n", /line 2, column 1\): unknown key "teirs". Did you mean "tiers"/],
    ["version: 1\ntiers:\n  deeper: {provider: ollama}\n", /line 3, column 3\)/],
    [
      "version: 1\nroles:\n  qa:\n    provider: ollama\n    modle: x\n",
      /line 5.*"roles.qa.modle". Did you mean "model"/,
    ],
    [
      "version: 1\nroles:\n  qa: {provider: openai}\n",
      /line 3.*"roles.qa.model": is missing: .* many models/,
    ],
    [
      "version: 1\nroles:\n  qa: {provider: acme}\n",
      /"roles.qa.endpoint": is missing: svc does not know/,
    ],
    ["version: 1\nroles:\n  qa: {model: x}\n", /"roles.qa.provider" is missing/],
    ["version: 1\nroles:\n  qa: {provider: ollama, api_key_env: sk-s3cret}\n", /variable's name/],
    [
      "version: 1\nroles:\n  qa: {provider: ollama, api_key_env: GH_TOKEN}\n",
      /line 3.*"roles.qa.api_key_env": "GH_TOKEN" is a credential of svc or of the code host/,
    ],
    ["version: 1\nroles:\n  QA: {provider: ollama}\n", /line 3/],
    ["version: 1\nroles: [", /line 2/],
    ["- 1\n", /line 1/],
  ];
  for (const [text, message] of table) {
    assert.throws(() => parseOverrides(text), (thrown: Failure) => {
      assert.equal(thrown.code, "environment", text);
      assert.match(thrown.message, /^Cannot read "\.harness\/model-overrides\.yaml"/);
      assert.match(thrown.message, message, text);
      assert.ok(!thrown.message.includes("s3cret"));
      return true;
    });
  }
});

Deno.test("editOverrides makes the file, and takes single overrides in and out", () => {
  const one = editOverrides(undefined, engineer, OLLAMA);
  assert.match(
    one,
    /^# .*\nversion: 1\nroles:\n {2}engineer:\n {4}provider: ollama\n {4}model: qwen3:4b\n$/,
  );
  const two = editOverrides(one, deep, { provider: "vllm" });
  assert.equal(two, `${one}tiers:\n  deep:\n    provider: vllm\n`);
  assert.equal(editOverrides(two, deep, undefined), one);
  assert.deepEqual(parseOverrides(editOverrides(one, engineer, undefined)).roles, {});
  assert.equal(editOverrides(two, engineer, OLLAMA), two);
});

const HANDMADE = `# Ours since March.
version: 1   # of the format

roles:
    # Ada asked for this one.
    qa: {provider: lm-studio, model: "small one"} # flow
    engineer:
        model: 'old'   # slow but good
        # where it is
        endpoint: http://127.0.0.1:9999/v1
        provider: llama.cpp

tiers: {}
# the end
`;

Deno.test("editOverrides keeps comments, order, quotes and indentation", () => {
  const edited = editOverrides(HANDMADE, engineer, { provider: "llama.cpp", model: "new" });
  assert.equal(
    edited,
    HANDMADE.replace("'old' ", "'new' ").replace(/ +# where it is\n.*\n/, "").replace(
      / +# slow/,
      " # slow",
    )
      .replace("1   #", "1 #").replace("{}\n#", "{}\n\n#"),
  );
  const added = editOverrides(HANDMADE, deep, OLLAMA);
  assert.match(added, /\n {4}qa: \{provider: lm-studio, model: "small one"\} # flow\n/);
  assert.match(added, /\ntiers:\n {4}deep:\n {8}provider: ollama\n {8}model: qwen3:4b\n/);
  assert.match(added, /# the end\n$/);
  const windows = HANDMADE.replaceAll("\n", "\r\n");
  assert.equal(editOverrides(windows, deep, OLLAMA), added.replaceAll("\n", "\r\n"));
});

Deno.test("editOverrides changes one override, also where two share their values", () => {
  const text = "version: 1\nroles:\n  qa: &one {provider: ollama, model: m}\n  engineer: *one\n";
  const other: Override = { provider: "ollama", model: "other" };
  const edited = parseOverrides(editOverrides(text, engineer, other));
  assert.deepEqual(edited.roles, { qa: { provider: "ollama", model: "m" }, engineer: other });
  assert.throws(() => editOverrides(text, { section: "roles", name: "qa" }, other), {
    code: "conflict",
  });
});

Deno.test("editOverrides writes any model name so that it is read again", () => {
  for (const model of ["yes", "1.0", "null", "a: b", "0x1f", "qwen/qwen3:30b-a3b@q4"]) {
    const text = editOverrides(HANDMADE, deep, { provider: "ollama", model });
    assert.equal(parseOverrides(text).tiers.deep?.model, model);
  }
});

Deno.test("parseOverrides reads a file of nothing but long comments, however it ends", () => {
  const comments = `${"#".repeat(100_000)}\n`.repeat(3);
  assert.deepEqual(parseOverrides(comments), parseOverrides(""));
  assert.throws(() => parseOverrides(`${comments}x: 1\n`), Failure);
});

Deno.test("editOverrides keeps the comments inside sampling", () => {
  const text = `version: 1
roles:
  engineer:
    provider: ollama
    sampling:
      # calmer than advised
      temperature: 0.2
      top_p: 0.9 # Ada
    reasoning_effort: low
`;
  const edited = editOverrides(text, engineer, {
    provider: "ollama",
    sampling: { temperature: 0.2, top_k: 7 },
  });
  assert.equal(
    edited,
    text.replace("      top_p: 0.9 # Ada\n    reasoning_effort: low\n", "      top_k: 7\n"),
  );
  const bare = editOverrides(text, engineer, { provider: "ollama" });
  assert.deepEqual(parseOverrides(bare).roles, { engineer: { provider: "ollama" } });
});

Deno.test("parseOverrides refuses sampling that no server takes", () => {
  const entry = (more: string) => `version: 1\nroles:\n  qa:\n    provider: ollama\n    ${more}\n`;
  const table: readonly [more: string, message: RegExp][] = [
    ["sampling: {temperature: 3}", /line 5.*"roles.qa.sampling.temperature"/],
    ["sampling: {top_p: 0}", /"roles.qa.sampling.top_p"/],
    ["sampling: {top_k: 1.5}", /"roles.qa.sampling.top_k"/],
    ["sampling: {temprature: 1}", /unknown key .*Did you mean "temperature"/],
    ["reasoning_effort: max", /"roles.qa.reasoning_effort"/],
    ["protocol: grpc", /"roles.qa.protocol"/],
  ];
  for (const [more, message] of table) {
    assert.throws(() => parseOverrides(entry(more)), { code: "environment", message });
  }
});
