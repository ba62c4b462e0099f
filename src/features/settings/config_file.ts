/** The user's config, `~/.svc/config.yaml` (spec section 2.1). */
import { shellWord } from "svc/core/shell_word.ts";
import { z } from "zod";
import { ABILITY, TAG } from "svc/core/abilities.ts";
import { ClaimLimits, SharedBudgets } from "svc/core/budget_shape.ts";
import { CONFIG_BYTES, CONTROL_PORT, DASHBOARD_PORT } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { LOCAL_BUNDLES } from "svc/core/local_bundles.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import type { Files } from "svc/platform/files/files.ts";
import { isOwnCredential, OWN_CREDENTIAL } from "svc/core/own_credentials.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { CodeHosts } from "./code_host_settings.ts";
import { ExecutionSettings } from "./execution_settings.ts";
import { McpSettings } from "./mcp_settings.ts";
import { ModelDefault } from "./model_default.ts";
import { INTERVAL, USUAL_INTERVAL } from "./reporting.ts";
import { modelPattern, ModelSampling, Price } from "./model_settings.ts";
import { isReleaseUrl, RELEASE_URL_FORM } from "./release_url.ts";
import { keysAt } from "svc/core/zod_shape.ts";

const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" });
const envName = z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be an environment variable's name");
const keyEnv = envName.refine((name) => !isOwnCredential(name), {
  error: ({ input }) => `"${input}" ${OWN_CREDENTIAL}; leave it out`,
});
const mail = z.string().regex(/^[^\s@]+@[^\s@]+$/, "must be an address such as ada@example.org");
const absolute = z.string().startsWith("/", "must be an absolute path");
const port = z.int().min(1).max(65_535);

const origin = httpUrl.refine((text) => URL.parse(text)?.origin === text.replace(/\/$/, ""), {
  error: "must be an origin such as https://models.example:8443",
});

const releaseUrl = z.string().refine(isReleaseUrl, { error: RELEASE_URL_FORM });

/** Holds the same paths as huggingface.co; the digests of the bundles make any honest. */
const mirror = httpUrl.refine((text) => {
  const url = URL.parse(text);
  const plain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  return plain && (url.protocol === "https:" || isLoopbackHost(url.hostname));
}, { error: "must be https, or on this machine, without user, password or query" });

const days = z.int().min(1).max(36_500);
const megabytes = z.int().min(1).max(100_000_000);

export const Config = z.strictObject({
  ports: z.strictObject({
    control: port.default(CONTROL_PORT),
    dashboard: port.default(DASHBOARD_PORT),
    collector: port.default(9092),
  }).prefault({}),
  models: z.strictObject({
    default: ModelDefault.optional(),
    folders: z.array(absolute).default([]),
    allowed_origins: z.array(origin).default([]),
    allowed_key_envs: z.array(keyEnv).default([
      "OPENAI_API_KEY",
      "ANTHROPIC_API_KEY",
      "OPENROUTER_API_KEY",
      "GEMINI_API_KEY",
    ]),
    sampling: z.record(modelPattern, ModelSampling).default({}),
    prices: z.record(modelPattern, Price).default({}),
    /** Where bundles are downloaded from, instead of huggingface.co and github.com. */
    mirror: mirror.optional(),
    /** The model server that svc runs by itself, for as long as it runs. */
    server: z.strictObject({
      bundle: z.enum(LOCAL_BUNDLES),
      /** On 127.0.0.1. */
      port: port.min(1024),
    }).optional(),
  }).prefault({}),
  /** The day's counts the jobs of every repo of a database. */
  budgets: SharedBudgets.prefault({}),
  /** They hold back new jobs alone; of all repos of a database, and of each role of a repo. */
  claim_limits: ClaimLimits.prefault({}),
  /** What this machine is good for, in a team; roles name it in `needs`. */
  node: z.strictObject({
    tags: z.array(z.string().regex(TAG, "must be a word such as gpu")).default([]),
    /** Beside the one of `models.default`. */
    models: z.array(
      z.string().refine((name) => ABILITY.test(`model:${name}`), {
        error: "must be the name of a model",
      }),
    ).default([]),
  }).prefault({}),
  mcp: McpSettings.prefault({}),
  execution: ExecutionSettings.prefault({}),
  /** How much of the machine a model of svc's own may take; see `autoBundle`. */
  performance_profile: z.enum(["auto", "light", "balanced", "full"]).default("auto"),
  install_dir: absolute.optional(),
  telemetry: z.strictObject({
    reporting: z.enum(["off", "anonymous"]).default("off"),
    endpoint: httpUrl.optional(),
    token: z.string().min(1).optional(),
    interval: z.string().regex(INTERVAL, "must be a time such as 24h").default(USUAL_INTERVAL),
  }).prefault({}),
  /** Serves release access alone (spec section 5). */
  codehost_token: z.string().min(1).optional(),
  release_url: releaseUrl.optional(),
  code_hosts: CodeHosts.default([]),
  linear: z.strictObject({
    /** Addresses of people of the workspace whose issues are worked on as those of the user. */
    vouchers: z.array(mail).max(100).default([]),
  }).prefault({}),
  retention: z.strictObject({
    traces_days: days.default(30),
    /** MiB of the traces, outputs and leftovers of all repos. */
    traces_mb: megabytes.default(2048),
    /** Scores compare two windows, of 30 days each by default. */
    records_days: days.min(60).default(400),
    logs_days: days.default(30),
  }).prefault({}),
});
export type Config = z.infer<typeof Config>;
export type PerformanceProfile = Config["performance_profile"];

type ConfigFiles = Pick<Files, "readText" | "stat">;

/**
 * A link without its file, such as one into a folder that is not mounted, is not the same as no config: what it
 * forbids and limits would be lost. @throws Failure `environment` for one
 */
export async function mustLeadOn(files: Pick<Files, "stat">, path: string): Promise<void> {
  if ((await files.stat(path))?.kind !== "symlink") return;
  const why = "it is a link to a file that does not exist";
  throw new Failure("environment", `Cannot read "${path}": ${why}`, {
    remedy: `Bring that file back (ls -l ${
      shellWord(path)
    }), or remove the link to begin with the defaults`,
  });
}

/** A missing file gives the defaults. @throws Failure `environment` naming file, line and column */
export async function readConfig(files: ConfigFiles, path: string): Promise<Config> {
  const text = await files.readText(path, { maxBytes: CONFIG_BYTES }).catch(async (thrown) => {
    if (!(thrown instanceof Failure)) throw thrown;
    if (thrown.code === "not_found") {
      await mustLeadOn(files, path);
      return "";
    }
    // A folder, a ring of links, other bytes than text: no work failed, the machine is not in order.
    throw thrown.code === "failed"
      ? new Failure("environment", thrown.message, { ...thrown.detail, cause: thrown })
      : thrown;
  });
  return readYaml({ text, path, allowed: (keyPath) => keysAt(Config, keyPath) }, Config);
}
