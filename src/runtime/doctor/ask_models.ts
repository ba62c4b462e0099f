/** Asks, for `svc doctor`, whether each role's model is there: by the server's list, so nothing is generated and nothing is paid. */
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import {
  chooseModel,
  endpointRules,
  type OwnModels,
} from "svc/features/models/choose/choose_model.ts";
import { keyOf } from "svc/features/models/choose/credentials.ts";
import { rolesOf } from "svc/features/models/choose/harness_roles.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { ErrorResponse, responseFault } from "svc/features/models/client/error_response.ts";
import { ModelFault, type ModelRoute } from "svc/features/models/client/model.ts";
import { entryOf, modelEntries, usualEntry } from "svc/features/models/local/model_list.ts";
import { missing, unusable } from "svc/features/models/local/preflight_failures.ts";
import type { RegistrySeen } from "svc/features/doctor/probe.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import { ownServerKey, type ServerKeyPorts } from "svc/features/models/server/server_key.ts";
import { routeOfDefault } from "svc/features/setup/try_model.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";

type OwnServer = Config["models"]["server"];

interface AskPorts extends ServerKeyPorts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly env: Env;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

/** A repo whose roles are asked about; undefined: the user's default alone. */
type AskedRepo = { readonly git: GitRepo; readonly folder: Folder } | undefined;

export interface AskedModel {
  /** Empty for the user's default outside of a repo. */
  readonly roles: readonly string[];
  readonly endpoint: string;
  readonly model: string;
  /** The repo or the user chose this model; without a choice svc takes whatever answers at the usual address. */
  readonly chosen: boolean;
  /** Undefined where it answers. */
  readonly fault: { readonly text: string; readonly remedy: string } | undefined;
}

type Chosen = Pick<AskedModel, "roles" | "chosen"> & {
  readonly route: ModelRoute;
  readonly key?: string;
};

/**
 * Statuses of servers without a list of models (RFC 9110, 15.5.5, 15.5.6, 15.6.2): they answer; whether the
 * model is there only a real request would tell.
 */
const NO_LIST = [404, 405, 501];

/** @returns the model as the server calls it @throws Failure `environment` that names the way out */
async function find(
  { fetch, clock, redact, signal }: AskPorts,
  { route, key }: Chosen,
): Promise<string> {
  try {
    const entries = await modelEntries({ ports: { fetch, clock }, target: route, key, signal }) ??
      [];
    const entry = route.model === "" ? usualEntry(entries) : entryOf(entries, route.model);
    if (entry !== undefined) return entry.id;
    if (entries.length === 0 && route.model !== "") return route.model;
    throw missing(route, entries);
  } catch (thrown) {
    if (thrown instanceof ErrorResponse && NO_LIST.includes(thrown.status) && route.model !== "") {
      return route.model;
    }
    const fault = thrown instanceof ErrorResponse
      ? responseFault(route, thrown, { redact, now: clock.now() })
      : thrown;
    throw fault instanceof ModelFault ? unusable(route, fault) : fault;
  }
}

async function faultOf<T>(
  work: () => Promise<T>,
): Promise<{ done: T } | { fault: AskedModel["fault"] & object }> {
  try {
    return { done: await work() };
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return { fault: { text: message, remedy } };
  }
}

async function ofRoles(
  ports: AskPorts,
  { git, folder }: NonNullable<AskedRepo>,
  { rules, server }: { readonly rules: OwnModels; readonly server: OwnServer },
): Promise<{ readonly chosen: readonly Chosen[]; readonly refused: readonly AskedModel[] }> {
  const [found, refused] = [new Map<string, Chosen>(), new Map<string, AskedModel>()];
  for (const [role, { tier }] of Object.entries(await rolesOf(folder))) {
    const asked = await faultOf(async () => {
      const { route, considered } = await chooseModel(folder, { role, tier }, rules);
      const found = await keyOf({ env: ports.env, repo: git, folder }, route, rules);
      const key = found?.value ?? await ownServerKey(ports, server, route);
      const byRegistry = considered.findLast((rule) => rule.chosen)?.rule.startsWith("registry");
      return { route, chosen: !byRegistry, ...(key && { key }) };
    });
    if ("fault" in asked) {
      const before = refused.get(asked.fault.text);
      const roles = [...before?.roles ?? [], role];
      refused.set(asked.fault.text, {
        roles,
        endpoint: "",
        model: "",
        chosen: true,
        fault: asked.fault,
      });
      continue;
    }
    const { endpoint, model } = asked.done.route;
    const at = JSON.stringify([endpoint, model]);
    found.set(at, { ...asked.done, roles: [...found.get(at)?.roles ?? [], role] });
  }
  return { chosen: [...found.values()], refused: [...refused.values()] };
}

/** Each endpoint and model is asked once, however many roles share it. */
export async function askModels(
  ports: AskPorts,
  repo: AskedRepo,
  settings: Pick<Config, "models">,
  configPath: string,
): Promise<readonly AskedModel[]> {
  const rules = endpointRules(settings, configPath);
  const { default: own, server } = settings.models;
  const { chosen, refused } = repo === undefined
    ? {
      chosen: own === undefined ? [] : [await ofDefault(ports, own, { rules, server })],
      refused: [],
    }
    : await ofRoles(ports, repo, { rules, server });
  const asked = await Promise.all(chosen.map(async (one): Promise<AskedModel> => {
    const { roles, route: { endpoint, model } } = one;
    const found = await faultOf(() => find(ports, one));
    return "fault" in found
      ? { roles, endpoint, model, chosen: one.chosen, fault: found.fault }
      : { roles, endpoint, model: found.done, chosen: one.chosen, fault: undefined };
  }));
  return [...refused, ...asked];
}

async function ofDefault(
  ports: AskPorts,
  own: NonNullable<Config["models"]["default"]>,
  { rules, server }: { readonly rules: OwnModels; readonly server: OwnServer },
): Promise<Chosen> {
  const route = routeOfDefault(own, rules);
  const key = route.apiKeyEnv === undefined
    ? await ownServerKey(ports, server, route)
    : ports.env.get(route.apiKeyEnv)?.trim();
  return { roles: [], chosen: true, route, ...(key && { key }) };
}

/** @throws Failure `environment` for a registry that is damaged */
export function registryFacts(): RegistrySeen {
  const { providers, bundles, runtimes } = registry();
  return {
    providers: providers.length,
    bundles: bundles.length,
    runtimes: runtimes.length,
    artifacts: bundles.map(({ id, artifact: { file } }) => ({ bundle: id, file })),
  };
}
