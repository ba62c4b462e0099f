import assert from "node:assert/strict";
import {
  isSecretName,
  isSecretSetting,
  isUnmistakable,
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
    TOKENIZER: "gpt2-large",
    HOME: "/root",
  };
  assert.deepEqual(secretsOfEnv({ all: () => env }), [
    "control-value",
    "telemetry-value",
    "key-value",
    "password-value",
  ]);
});

Deno.test("secretsOfEnv takes what an app's own variables hold, and no folder", () => {
  const secrets = {
    RAILS_MASTER_KEY: "0f3c9a7b".repeat(4),
    SECRET_KEY_BASE: "4f9d8a7c".repeat(5),
    STRIPE_KEY: "rk_prod_9a8b7c6d5e4f3a2b",
    SMTP_PASS: "correct-horse-9",
  };
  const others = {
    PWD: "/tmp/aB3defghijklmnopq",
    OLDPWD: "/tmp/aB3defghijklmnopq",
    CACHE_KEY: "v2",
    SSH_KEY: "/home/ada/.ssh/id_ed25519",
    DB_PASS: "postgres",
    MONKEY: "seventeen-letters",
  };
  const env = { all: () => ({ ...secrets, ...others }) };
  assert.deepEqual(secretsOfEnv(env), Object.values(secrets));
});

Deno.test("a key that begins with a slash is no path", () => {
  const keys = [
    ...["/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY0", "/a/K7MDENGbPxRfiCYz0", "/0+ab/cd", "/abcd=="],
  ];
  const paths = [
    ...["/", "/etc/ssl/key.pem", "/home/ada/keys/shop-production.json", "/run/secrets/db_password"],
    "/nix/store/0c5kqv9w7zkfpw3h1p9v7mxyzj5b8qrs-certs/ca.pem",
  ];
  const env = Object.fromEntries([...keys, ...paths].map((at, nth) => [`A${nth}_TOKEN`, at]));
  assert.deepEqual(secretsOfEnv({ all: () => env }), keys);
  for (const key of keys) assert.equal(isSecretSetting("A_TOKEN", key), true, key);
  for (const path of paths) assert.equal(isSecretSetting("A_TOKEN", path), false, path);
});

Deno.test("isSecretName knows how passwords are called, at the end of a name", () => {
  for (const name of ["DB_PASS", "PASS", "MYSQL_PWD", "API_TOKEN", "db_password", "SENTRY_DSN"]) {
    assert.equal(isSecretName(name), true, name);
  }
  for (const name of ["TOKENIZER", "DB_PASS_FILE", "COMPASS", "PASSENGERS", "SECRET_NAME"]) {
    assert.equal(isSecretName(name), false, name);
  }
});

Deno.test("isSecretSetting takes what is no word and no plain address", () => {
  for (const value of ["k-1 production", "https://ada:pw@db.test/", "a1", "https://db.test/ key"]) {
    assert.equal(isSecretSetting("ANYTHING", value), true, value);
  }
  for (const value of ["", "production", "https://db.test/shop", "8080", "True", "/var/run"]) {
    assert.equal(isSecretSetting("ANYTHING", value), false, value);
  }
  assert.equal(isSecretSetting("A_PASSWORD", "hunter"), true);
});

Deno.test("isUnmistakable leaves words and numbers that stand in any file", () => {
  for (const value of ["abcd1234", "correct horse battery", "x".repeat(16)]) {
    assert.equal(isUnmistakable(value), true, value);
  }
  for (const value of ["postgres", "12345678", "a-1", "abc1234", "production"]) {
    assert.equal(isUnmistakable(value), false, value);
  }
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

Deno.test("secretsOfConfig reads what stands in braces too, as in a config that is JSON", () => {
  const text = [
    "telemetry: {reporting: anonymous, token: in-braces-1, interval: 24h} # {token: no-value-1}",
    "telemetry: {",
    "  token: in-braces-2,",
    '{"codehost_token":"in-json-3", "telemetry": {"token": "in-json-4"}}',
    "# where it is off, token: may-be-left-out",
    "note: see api_key: below",
  ].join("\n");
  const found = secretsOfConfig(text);
  for (const value of ["in-braces-1", "in-braces-2", "in-json-3", "in-json-4"]) {
    assert.ok(found.includes(value), value);
  }
  for (const value of ["may-be-left-out", "below", "no-value-1"]) {
    assert.ok(!found.includes(value), value);
  }
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
