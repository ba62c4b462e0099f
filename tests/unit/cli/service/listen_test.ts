import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import {
  listenAt,
  ownAccounts,
  secretWarnings,
  takeReporting,
  takeSecrets,
} from "svc/cli/service/listen.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import type { Listener } from "svc/platform/net/listen.ts";

function envOf(vars: Record<string, string>) {
  const known = new Map(Object.entries(vars));
  return {
    get: (name: string) => known.get(name),
    all: () => Object.fromEntries(known),
    forget: (name: string) => void known.delete(name),
  };
}

const { load } = denoEntrance(new URL("../../../../main.ts", import.meta.url).href);

Deno.test("takeSecrets reads each once, and the environment forgets it", () => {
  const env = envOf({ SVC_GITHUB_WEBHOOK_SECRET: "hush", SVC_LINEAR_WEBHOOK_SECRET: "" });
  const secrets = { github: "hush", linear: undefined, dashboard: undefined };
  assert.deepEqual(takeSecrets({ env }), secrets);
  assert.deepEqual(takeSecrets({ env }).github, undefined);
});

Deno.test("takeReporting reads what is said about telemetry, and the environment forgets the token", () => {
  const env = envOf({
    SVC_TELEMETRY_TOKEN: "hush",
    SVC_TELEMETRY_REPORTING: "anonymous",
    SVC_TELEMETRY_ENDPOINT: " ",
  });
  assert.deepEqual(takeReporting({ env }), { reporting: "anonymous", token: "hush" });
  assert.deepEqual(env.all(), {
    SVC_TELEMETRY_REPORTING: "anonymous",
    SVC_TELEMETRY_ENDPOINT: " ",
  });
});

Deno.test("secretWarnings names a secret that does not count, and never shows it", async () => {
  const said = async (dashboard: string | undefined, terminal = false) => {
    const stderr = { terminal, write() {}, columns: () => undefined };
    return await secretWarnings({ load, stderr }, { dashboard });
  };
  assert.deepEqual(await said(undefined), []);
  const [locked, ...rest] = await said(undefined, true);
  assert.equal(
    locked,
    "the dashboard is locked, since SVC_DASHBOARD_CONTROL_SECRET is not set; to open it, stop svc, " +
      'run eval "$(svc dashboard secret)", and start it again',
  );
  assert.deepEqual(rest, []);
  assert.deepEqual(await said("0123456789abcdef0123456789abcdef"), []);
  const bad = "0123456789abcdef0123456789abcde";
  const [short] = await said(bad);
  assert.match(short!, /^SVC_DASHBOARD_CONTROL_SECRET has 31 bytes and needs 32/);
  assert.ok(!short!.includes(bad));
  const [weak, ...more] = await said("x".repeat(32));
  assert.match(weak!, /^SVC_DASHBOARD_CONTROL_SECRET is weak: .*; use openssl rand/);
  assert.ok(!weak!.includes("xxx"));
  assert.deepEqual(more, []);
});

Deno.test("ownAccounts are a list", () => {
  const env = envOf({ SVC_GITHUB_BOT: "svc-bot[bot], helper" });
  assert.deepEqual(ownAccounts({ env }), { github: ["svc-bot[bot]", "helper"], linear: [] });
});

Deno.test("listenAt goes round an occupied port for start on a default address alone", () => {
  const free: Listener = { address: { host: "127.0.0.1", port: 5 }, stop: () => Promise.resolve() };
  const asked: string[] = [];
  const listen = (addr: string) => {
    asked.push(addr);
    if (addr.endsWith(":0")) return free;
    throw new Failure("conflict", "Cannot listen: in use");
  };
  const usual = { flag: "--addr", usual: "127.0.0.1:9090", typed: undefined } as const;
  assert.equal(listenAt({ ...usual, shape: "start" }, listen), free);
  assert.deepEqual(asked, ["127.0.0.1:9090", "127.0.0.1:0"]);
  const refused = { code: "conflict", remedy: /--addr 127\.0\.0\.1:0/ };
  assert.throws(() => listenAt({ ...usual, shape: "serve" }, listen), refused);
  const typed = { ...usual, typed: "127.0.0.1:1", shape: "start" } as const;
  assert.throws(() => listenAt(typed, listen), refused);
});
