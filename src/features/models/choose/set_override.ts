/** Sets or removes one override of a repo: checks it, plans the edit, and writes it. */
import { Failure } from "svc/core/failure.ts";
import {
  isOwnCredential,
  OWN_CREDENTIAL,
  OWN_CREDENTIAL_REMEDY,
} from "svc/core/own_credentials.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { unifiedDiff } from "svc/core/unified_diff.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import { type EndpointRules, refusalOf } from "./allowed_endpoint.ts";
import { rolesOf } from "./harness_roles.ts";
import type { Protocol } from "svc/core/model_protocol.ts";
import type { Sampling } from "svc/features/models/client/model.ts";
import type { Warning } from "./local_env.ts";
import {
  ENV_NAME,
  lackOf,
  MODEL_NAME,
  type Override,
  type Overrides,
  OVERRIDES_PATH,
  PROVIDER_NAME,
} from "./override_shape.ts";
import { editOverrides, overrideAt, type OverrideScope, readOverrides } from "./overrides.ts";
import { registry, type Tier, TIERS } from "./registry.ts";
import { overrideOffer } from "./route.ts";

interface OverrideRequest {
  /** Every role: all tiers. Overrides of roles still come before. */
  readonly all: boolean;
  readonly tier: Tier | undefined;
  readonly role: string | undefined;
  readonly provider: string | undefined;
  readonly endpoint: string | undefined;
  readonly model: string | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly contextWindow: number | undefined;
  readonly protocol: Protocol | undefined;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  readonly topK: number | undefined;
  readonly minP: number | undefined;
  readonly repetitionPenalty: number | undefined;
  readonly reasoningEffort: Sampling["reasoningEffort"];
  readonly remove: boolean;
}

interface OverridePlan {
  /** One, or with `--all` that of each tier. */
  readonly scopes: readonly [OverrideScope, ...OverrideScope[]];
  readonly override: Override | undefined;
  readonly change: "added" | "replaced" | "removed" | "unchanged";
  readonly diff: string;
  readonly warnings: readonly Warning[];
  write(): Promise<void>;
}

function refuse(message: string, remedy: string): never {
  throw new Failure("usage", `Cannot override a model: ${message}`, { remedy });
}

function scopesOf({ all, tier, role }: OverrideRequest): OverridePlan["scopes"] {
  const given = [
    ...(all ? ["--all"] : []),
    ...(tier === undefined ? [] : ["--tier"]),
    ...(role === undefined ? [] : ["--role"]),
  ];
  if (given.length !== 1) {
    refuse(
      given.length === 0
        ? "neither --tier nor --role is given, nor --all"
        : `${given.join(" and ")} are ${given.length === 2 ? "both" : "all"} given`,
      "Give one: --tier small|standard|deep, --role <role>, or --all",
    );
  }
  if (role !== undefined) return [{ section: "roles", name: role }];
  const [first, ...others] = (all ? TIERS : [tier!]).map((name) => ({
    section: "tiers" as const,
    name,
  }));
  return [first!, ...others];
}

type Given<T> = { [key in keyof T]?: Exclude<T[key], undefined> };

function given<T extends object>(fields: T): Given<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}

function refuseMalformed({ provider, model, apiKeyEnv }: OverrideRequest): void {
  if (provider !== undefined && !PROVIDER_NAME.test(provider)) {
    refuse("--provider is not a short lower-case name", "Such as --provider openai");
  }
  if (model !== undefined && !MODEL_NAME.test(model)) {
    refuse("--model is not the name of a model", "Give it as the provider spells it");
  }
  if (apiKeyEnv !== undefined && !ENV_NAME.test(apiKeyEnv)) {
    refuse(
      "--api-key-env is not the name of an environment variable",
      "Give the name, never the key: --api-key-env OPENAI_API_KEY",
    );
  }
  if (apiKeyEnv !== undefined && isOwnCredential(apiKeyEnv)) {
    refuse(`"${apiKeyEnv}" ${OWN_CREDENTIAL}`, OWN_CREDENTIAL_REMEDY);
  }
}

/** @throws Failure `usage`; no message shows a value that may be a key */
function overrideOf(asked: OverrideRequest): Override | undefined {
  const { provider, endpoint } = asked;
  const sampling = given({
    temperature: asked.temperature,
    top_p: asked.topP,
    top_k: asked.topK,
    min_p: asked.minP,
    repetition_penalty: asked.repetitionPenalty,
  });
  const rest = given({
    model: asked.model,
    endpoint,
    api_key_env: asked.apiKeyEnv,
    context_window: asked.contextWindow,
    protocol: asked.protocol,
    sampling: Object.keys(sampling).length === 0 ? undefined : sampling,
    reasoning_effort: asked.reasoningEffort,
  });
  if (asked.remove) {
    if (provider === undefined && Object.keys(rest).length === 0) return undefined;
    refuse("--remove takes no route", "Leave --provider, --endpoint and --model out");
  }
  if (provider === undefined) refuse("--provider is missing", "Add --provider ollama");
  refuseMalformed(asked);
  const override = {
    provider,
    ...rest,
    ...(endpoint !== undefined && { endpoint: endpointOf(endpoint, "--endpoint").href }),
  };
  const lack = lackOf(override);
  if (lack === undefined) return override;
  refuse(`--${lack.key} is missing: ${lack.why}`, `Add --${lack.key} <${lack.key}>`);
}

function warningsOf(override: Override | undefined, rules: EndpointRules): Warning[] {
  if (override === undefined) return [];
  const { owner, endpoint, keyEnv } = overrideOffer(override, "it", registry());
  const what = "it in a run";
  const refusal = refusalOf(
    { endpoint: endpointOf(endpoint, what), keyEnv, owner, what },
    rules,
    registry(),
  );
  return refusal === undefined ? [] : [{ text: refusal.message, remedy: refusal.remedy }];
}

/** `--all` writes what holds for tiers; a role that has a model of its own keeps it. */
function aboveTiers({ roles }: Overrides, override: Override | undefined): Warning[] {
  const names = override === undefined ? [] : Object.keys(roles);
  return names.map((name) => ({
    text: `role ${name} keeps its own override`,
    remedy: `svc models override --role ${name} --remove`,
  }));
}

/** @throws Failure `usage` for bad flags or an unknown role, `environment` for unreadable files, `conflict` */
export async function planOverride(
  folder: Pick<Folder, "read" | "write">,
  asked: OverrideRequest,
  rules: EndpointRules,
): Promise<OverridePlan> {
  const scopes = scopesOf(asked);
  const [scope] = scopes;
  const override = overrideOf(asked);
  const roles = await rolesOf(folder);
  // An override can be removed even when its role is gone.
  if (scope.section === "roles" && !asked.remove) roleNamed({ roles }, scope.name, "usage");
  const { overrides, file } = await readOverrides(folder);
  const before = scopes.map((each) => overrideAt(overrides, each)).find((one) => one !== undefined);
  const text = before === undefined && override === undefined
    ? file?.text
    : scopes.reduce<string | undefined>(
      (text, each) => editOverrides(text, each, override),
      file?.text,
    );
  const unchanged = text === file?.text;
  const bytes = new TextEncoder().encode(text ?? "");
  return {
    scopes,
    override,
    change: unchanged
      ? "unchanged"
      : override === undefined
      ? "removed"
      : before
      ? "replaced"
      : "added",
    diff: unchanged ? "" : unifiedDiff(OVERRIDES_PATH, file?.content.bytes, bytes),
    warnings: [
      ...warningsOf(override, rules),
      ...(asked.all ? aboveTiers(overrides, override) : []),
    ],
    async write() {
      if (unchanged) return;
      await folder.write(OVERRIDES_PATH, bytes, { expected: file?.content ?? null });
    },
  };
}
