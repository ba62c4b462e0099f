import assert from "node:assert/strict";
import {
  secretsNamedIn,
  secretsOfConfig,
  secretsOfEnv,
} from "svc/features/settings/known_secrets.ts";

Deno.test("secretsOfEnv takes values by the names of secrets", () => {
  const env = {
    SVC_DASHBOARD_CONTROL_SECRET: "control-value",
    SVC_TELEMETRY_TOKEN: "telemetry-value",
    OPENAI_API_KEY: "key-value",
    DB_PASSWORD: "password-value",
    PATH: "/usr/bin",
    SSH_AUTH_SOCK: "/tmp/socket",
    GIT_ASKPASS_TOKEN: "/a/path",
    HOME: "/root",
  };
  assert.deepEqual(secretsOfEnv({ all: () => env }), [
    "control-value",
    "telemetry-value",
    "key-value",
    "password-value",
  ]);
});

Deno.test("secretsOfConfig reads values even from a file that is not valid", () => {
  const text = [
    "codehost_token: plain-value # mine",
    "telemetry: {",
    '  token: "quoted value"',
    "ports:",
    "  control: 1",
    "api_key: 'single'",
  ].join("\n");
  assert.deepEqual(secretsOfConfig(text), ["plain-value", "quoted value", "single"]);
});

Deno.test("secretsOfConfig reads what is quoted as YAML does: a # in it begins no comment", () => {
  const text = [
    'a_token: "one #two" # mine',
    "b_token: 'three #fo''ur' # mine",
    'c_token: "fi\\"ve #\\u00e4" # mine',
    'd_token: "never ended #',
    "e_token: six#seven #mine",
  ].join("\n");
  assert.deepEqual(secretsOfConfig(text), [
    ...["one #two", "three #fo'ur", 'fi\\"ve #\\u00e4', 'fi"ve #ä', '"never ended', "six#seven"],
  ]);
});

Deno.test("secretsNamedIn takes the variables that the config names, whatever their names", () => {
  const env = {
    GROQ: "key-of-groq-1",
    MY_KEY: "key-of-mine-2",
    OTHER_KEY: "not-named-3",
    LOGIN: "ada",
    HOME: "/root",
  };
  const text = [
    "models: {allowed_key_envs: [GROQ]}",
    "mcp:",
    "  servers:",
    "    tracker: {env: [MY_KEY, LOGIN, HOME",
  ].join("\n");
  assert.deepEqual(secretsNamedIn(text, { all: () => env }), ["key-of-groq-1", "key-of-mine-2"]);
});
