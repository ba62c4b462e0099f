/** A control listener over a real database, with a repo and a manifest, and senders that sign. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import { checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import { defaultFiles } from "svc/features/harness/defaults.ts";
import { routingText } from "svc/features/harness/model_routing.ts";
import { register } from "svc/features/repos/register.ts";
import { systemClock } from "svc/platform/clock.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { controlListener, type ControlPlan } from "svc/http/control.ts";
import { type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { ports as storePorts, type TempStore, tempStore } from "tests/unit/store/temp_store.ts";

export const GITHUB_SECRET = "It's a Secret to Everybody";
export const LINEAR_SECRET = "lin_wh_test_secret";
export const REMOTE = "Codertocat/Hello-World";

export async function hex(secret: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, body)).toHex();
}

export interface Sent {
  readonly status: number;
  readonly body: { ok: boolean; error?: string; duplicate?: boolean; ignored?: boolean };
  readonly headers: Headers;
}

export interface ControlPlace extends AsyncDisposable {
  readonly listener: Listener;
  readonly url: string;
  readonly port: number;
  readonly store: TempStore;
  readonly repo: TempRepo;
  readonly repoId: string;
  /** Lines of the log, with what was thrown. */
  readonly logged: string[];
  github(event: string, payload: unknown, id?: string): Promise<Sent>;
  linear(payload: Record<string, unknown>, id?: string): Promise<Sent>;
}

/** A repo with the default harness; Linear's team is ENG. */
export async function hookedRepo(manifest = (text: string) => text): Promise<TempRepo> {
  const project = {
    ...{ name: "shop", version: "1.0.0", default_branch: "master" },
    setup: [],
    checks: [{ name: "test", run: ["true"] }],
    ...{ languages: [], package_managers: [], docs: [], ci: [] },
  };
  const files = defaultFiles(project, routingText({ mode: "defer" })).map(({ path, text }) => {
    if (path !== ".harness/manifest.yaml") return [path, text];
    const rest = text.replace(/^integrations:.*(?:\n .*)*\n?/m, "");
    const linear = "integrations:\n  github: { labels: [svc] }\n  linear: { team: ENG }\n";
    return [path, manifest(`${rest}\n${linear}`)];
  });
  return await tempRepo({ files: Object.fromEntries(files), commit: true, branch: "master" });
}

export async function registeredIn(store: TempStore, path: string): Promise<string> {
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" };
  const git = await gitOver(denoProcesses(), env).open(path);
  const { repo } = await register(
    { db: store.db, files: storePorts.files },
    git,
    { remote: REMOTE },
    1_700_000_000_000,
  );
  return repo.id;
}

export async function send(
  url: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
): Promise<Sent> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

export async function sendGithub(
  url: string,
  { event, payload, id }: { event: string; payload: unknown; id: string },
): Promise<Sent> {
  const body = new TextEncoder().encode(JSON.stringify(payload));
  return await send(`${url}/webhooks/github`, {
    "x-hub-signature-256": `sha256=${await hex(GITHUB_SECRET, body)}`,
    "x-github-event": event,
    "x-github-delivery": id,
  }, body);
}

export async function controlPlace(
  plan: Partial<ControlPlan> & { readonly manifest?: (text: string) => string } = {},
): Promise<ControlPlace> {
  const store = await tempStore();
  const repo = await hookedRepo(plan.manifest);
  const repoId = await registeredIn(store, repo.path);
  const logged: string[] = [];
  const listener = controlListener({
    addr: "127.0.0.1:0",
    db: store.db,
    clock: systemClock,
    log: {
      write: (level, text, { cause } = {}) => void logged.push(`${level} ${text}: ${cause ?? ""}`),
    },
    opener: () => Promise.resolve(new RepoOpener(checkoutPorts())),
    own: { github: ["svc[bot]"], linear: ["app-svc"] },
    secrets: { github: GITHUB_SECRET, linear: LINEAR_SECRET },
    facts: () =>
      Promise.resolve({
        ...{ database: true, workers: 2, running: 0, paused: false },
        ...{ lastHeartbeatSecs: 3, uptimeSecs: 60 },
      }),
    ...plan,
  });
  const { port } = listener.address;
  const url = `http://127.0.0.1:${port}`;
  return {
    ...{ listener, url, port, store, repo, repoId, logged },
    github: (event, payload, id = crypto.randomUUID()) => sendGithub(url, { event, payload, id }),
    async linear(payload, id = crypto.randomUUID()) {
      const timed = { webhookTimestamp: Date.now(), ...payload };
      const body = new TextEncoder().encode(JSON.stringify(timed));
      return await send(`${url}/webhooks/linear`, {
        "linear-signature": await hex(LINEAR_SECRET, body),
        "linear-delivery": id,
        "linear-event": String(payload.type),
      }, body);
    },
    async [Symbol.asyncDispose]() {
      await listener.stop(1_000);
      await store[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}
