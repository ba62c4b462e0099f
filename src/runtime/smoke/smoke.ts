/** Smoke tests of a harness: each role does small tasks in repos made for it, which are removed afterwards. */
import type { Profile } from "svc/core/permission.ts";
import { rfc3339 } from "svc/core/time.ts";
import { VERSION } from "svc/core/version.ts";
import { OWN_HARNESS, roleNamed } from "svc/features/harness/role_named.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { findKey } from "svc/features/models/choose/credentials.ts";
import type { Tier } from "svc/features/models/choose/registry.ts";
import { keyOfServer, serverKeyFile } from "svc/features/models/server/server_key.ts";
import { tempFolder } from "svc/platform/files/temp_folder.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { parseDocument } from "svc/platform/yaml.ts";
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { smokeAdvice } from "./advice.ts";
import { casesFor } from "./cases.ts";
import { harnessUnderTest } from "./harness_under_test.ts";
import { SMOKE_KIND, type SmokeReport, type SmokeRole } from "./report.ts";
import { runCase, type SmokePorts } from "./run_case.ts";

export interface SmokeRequest {
  /** The repo whose harness is tested; without one svc's own is. */
  readonly repo: GitRepo | undefined;
  readonly folder: Folder | undefined;
  /** All of them, where none is named. */
  readonly roles: readonly string[];
  readonly profile: Exclude<Profile, "isolated">;
  readonly modelEndpoint: string | undefined;
  tell(text: string): void;
}

/** The parts of the user's config that the tests use: which models may be used, and what contains programs. */
const CONFIGURED = ["models", "execution"];

async function ownConfig({ files, home }: SmokePorts): Promise<string> {
  if (await files.stat(home.config) === undefined) return "{}";
  const text = await files.readText(home.config, { maxBytes: CONFIG_BYTES });
  const config = (parseDocument(text).toJS() ?? {}) as Readonly<Record<string, unknown>>;
  const kept = Object.entries(config).filter(([key]) => CONFIGURED.includes(key));
  return JSON.stringify(Object.fromEntries(kept));
}

/** The server of the user's config may run, and asks for its key. */
async function passServerKey({ files, home, settings }: SmokePorts, to: string): Promise<void> {
  const { models: { server } } = await settings();
  if (server === undefined) return;
  const { port } = server;
  const key = await keyOfServer(files, { models: home.models, port });
  if (key === undefined) return;
  await files.makeFolder(to);
  await files.writeAtomic(serverKeyFile({ models: to, port }), `${key}\n`, { mode: 0o600 });
}

/** Keys that the repo keeps are passed on in the environment, and written to no file. */
async function keysOf(
  ports: SmokePorts,
  { repo, folder, modelEndpoint }: SmokeRequest,
  roles: readonly (readonly [role: string, tier: Tier])[],
): Promise<Record<string, string>> {
  if (repo === undefined || folder === undefined) return {};
  const rules = endpointRules(await ports.settings(), ports.home.config);
  const keys: Record<string, string> = {};
  for (const [role, tier] of roles) {
    const chosen = await chooseModel(folder, { role, tier, modelEndpoint }, rules)
      // The run says itself why there is none.
      .catch(() => undefined);
    const name = chosen?.route.apiKeyEnv;
    if (name === undefined) continue;
    const found = await findKey({ env: ports.env, repo, folder }, name, rules);
    if (found.value !== undefined) keys[name] = found.value;
  }
  return keys;
}

function verdictOf(cases: SmokeRole["cases"]): SmokeRole["verdict"] {
  if (cases.some(({ status }) => status === "failed")) return "failed";
  return cases.every(({ status }) => status === "passed") ? "passed" : "not_run";
}

/** @throws Failure `usage` for an unknown role; the reason of `ports.signal` */
export async function smokeTest(ports: SmokePorts, asked: SmokeRequest): Promise<SmokeReport> {
  const { profile, modelEndpoint, tell } = asked;
  const at = rfc3339(ports.clock.now());
  await ports.settings();
  using made = tempFolder("smoke");
  const { manifest, from, texts } = await harnessUnderTest(asked.folder, made.path);
  const names = asked.roles.length > 0 ? asked.roles : Object.keys(manifest.roles);
  const source = from === "bundled" ? OWN_HARNESS : undefined;
  const wanted = names.map((role) => ({
    role,
    definition: roleNamed(manifest, role, "usage", source),
  }));
  await ports.files.makeFolder(`${made.path}/home`);
  await ports.files.writeAtomic(`${made.path}/home/config.yaml`, await ownConfig(ports));
  await passServerKey(ports, `${made.path}/home/models`);
  const site = {
    ...{ folder: made.path, harness: texts, profile, modelEndpoint },
    keys: await keysOf(ports, asked, wanted.map(({ role, definition }) => [role, definition.tier])),
  };
  const roles: SmokeRole[] = [];
  for (const { role, definition } of wanted) {
    const cases: SmokeRole["cases"][number][] = [];
    for (const smoke of casesFor(definition, profile)) {
      const said = (text: string) => tell(`${role}, ${smoke.id}: ${text}`);
      said("begins");
      cases.push(await runCase(ports, { ...site, tell: said }, { role, smoke }));
    }
    roles.push({ role, verdict: verdictOf(cases), cases });
  }
  const models = roles.flatMap(({ cases }) => cases.flatMap(({ model }) => model ?? []));
  const fixture = models.some(({ evidence }) => evidence === "fixture");
  return {
    kind: SMOKE_KIND,
    svc: VERSION,
    at,
    evidence: fixture ? "fixture" : models.length === 0 ? "none" : "live",
    repo: asked.repo?.root ?? null,
    harness: from,
    profile,
    roles,
    advice: smokeAdvice(roles),
  };
}
