/** Computes which hosts a run or a service may reach: exact `host:port` pairs, fixed before it starts. */
import { apisForMerge, pullRequestApis } from "svc/features/access/code_host_access.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import type { Profile } from "svc/core/permission.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { namedEndpoint } from "svc/features/models/choose/named_endpoint.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import { saidByEnvironment } from "svc/features/settings/reporting.ts";
import { reportingWhereOn } from "svc/runtime/service/report_loop.ts";
import { manifestOf } from "./prepare_repo.ts";

// Copied from `features/models`, which takes long to load; a test compares them.
const OVERRIDES_PATH = ".harness/model-overrides.yaml";
const ROUTING_PATH = ".harness/model-routing.yaml";

interface HostRequest {
  readonly modelEndpoint: string | undefined;
  readonly profile: Profile;
  readonly role?: string;
  /** The database is a team's: others register repos by URL while this service runs. */
  readonly team?: boolean;
}

function hostAndPort({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port !== "" ? port : protocol === "https:" ? "443" : "80"}`;
}

/** Undefined for loopback, which every Worker may reach, and for an invalid URL, which fails when used. */
function hostOf(endpoint: string): string | undefined {
  const url = URL.parse(endpoint);
  if (url === null || url.hostname === "localhost" || isLoopbackHost(url.hostname)) {
    return undefined;
  }
  return hostAndPort(url);
}

export const hostsOf = (endpoints: readonly string[]): string[] => [
  ...new Set(endpoints.map(hostOf).filter((host) => host !== undefined)),
];

const namedHref = (modelEndpoint: string) => [namedEndpoint(modelEndpoint).endpoint.href];

/** Undefined where it is absent or invalid, which the service reports. */
async function manifestAt(ports: PreparationPorts, root: string): Promise<Manifest | undefined> {
  try {
    return await manifestOf(ports, root);
  } catch {
    return undefined;
  }
}

async function bundledManifest(ports: PreparationPorts, root: string): Promise<Manifest> {
  const { bundledHarness } = await ports.load("src/runtime/start/scaffold");
  return bundledHarness({ root, branch: "main" }).manifest;
}

/** As the repo says, or svc's own where it has no harness. */
export async function rolesAt(ports: PreparationPorts, root: string): Promise<Manifest["roles"]> {
  return (await manifestAt(ports, root) ?? await bundledManifest(ports, root)).roles;
}

/** YAML without its comments, except on lines with a quotation mark, where a "#" may not begin a comment. */
function uncommented(bytes: Uint8Array): string {
  const lines = new TextDecoder().decode(bytes).split("\n");
  return lines.map((line) => {
    const said = line.slice(0, /(?:^|[ \t])#/.exec(line)?.index);
    return /["']/.test(said) ? line : said;
  }).join("\n");
}

/** Whether a model may be remote; if not, zod and YAML need not be loaded. */
async function looksBeyond(folder: Pick<Folder, "read" | "stat">): Promise<boolean> {
  if (await folder.stat(OVERRIDES_PATH) !== undefined) return true;
  if (await folder.stat(ROUTING_PATH) === undefined) return false;
  const { bytes } = await folder.read(ROUTING_PATH, { maxBytes: MANIFEST_BYTES });
  return uncommented(bytes).includes("cloud");
}

/** Whether the user's own default may be the model of a role. */
const hasDefault = (ports: PreparationPorts) => configMentions(ports, "default");

/** Without settings of the user, zod and YAML need not be loaded. */
const isConfigured = async ({ files, home }: PreparationPorts) =>
  await files.stat(home.config) !== undefined;

/** Whether a manifest may merge by pull request; if not, zod and YAML need not be loaded. */
async function mentionsPullRequests(ports: PreparationPorts, root: string): Promise<boolean> {
  using folder = await ports.folder(root);
  if (await folder.stat(MANIFEST_PATH) === undefined) return false;
  const { bytes } = await folder.read(MANIFEST_PATH, { maxBytes: MANIFEST_BYTES });
  return uncommented(bytes).includes("pull_request");
}

/** A service that receives webhooks also asks the code host what it missed; a run does not. */
const receives = ({ env }: PreparationPorts) => (env.get("SVC_GITHUB_WEBHOOK_SECRET") ?? "") !== "";

async function codeHosts(
  ports: PreparationPorts,
  roots: readonly string[],
  { profile, role, team = false }: HostRequest,
) {
  if (profile !== "host") return [];
  // Includes repos without a remote: one may be registered while the service runs.
  const manifests = await Promise.all(roots.map(async (root) => {
    const mentioned = await mentionsPullRequests(ports, root).catch(() => false);
    return mentioned ? await manifestAt(ports, root) : undefined;
  }));
  const said = await configMentions(ports, "code_hosts")
    ? await ports.settings()
    : { code_hosts: [] };
  const apis = pullRequestApis(said);
  if (team || (role === undefined && receives(ports))) return hostsOf(apis);
  return hostsOf(manifests.flatMap((manifest) => apisForMerge(manifest, apis)));
}

/**
 * Hosts of the MCP servers of the user's config, which only host profile may use. `localhost` is one of them, since it is
 * asked by that name: a server may take no other, and it may listen on either family.
 */
export async function mcpHosts(ports: PreparationPorts, profile: Profile): Promise<string[]> {
  if (profile !== "host" || !await configMentions(ports, "mcp")) return [];
  const { servers } = (await ports.settings()).mcp;
  const urls = Object.values(servers).flatMap(({ url }) => url ?? []);
  const here = urls.map((url) => new URL(url)).filter(({ hostname }) => hostname === "localhost");
  return [...hostsOf(urls), ...new Set(here.map(hostAndPort))];
}

/** The collector of a service's reports, if its user turned reporting on. */
export async function collectorHosts(ports: PreparationPorts): Promise<string[]> {
  const reporting = await reportingWhereOn(ports, saidByEnvironment(ports.env));
  return reporting === undefined ? [] : hostsOf([reporting.endpoint!]);
}

/**
 * Hosts of the models that the repo's roles use, and of the code host.
 * @throws Failure `refused` for an endpoint that the user's config does not allow, with the edit that does
 */
export async function hostsOfRepo(
  ports: PreparationPorts,
  root: string,
  request: HostRequest,
): Promise<string[]> {
  const { modelEndpoint, profile } = request;
  const others = [
    ...await codeHosts(ports, [root], request),
    ...await mcpHosts(ports, profile),
  ];
  if (modelEndpoint !== undefined) return [...hostsOf(namedHref(modelEndpoint)), ...others];
  using folder = await ports.folder(root);
  if (!await looksBeyond(folder) && !await hasDefault(ports)) return others;
  const { chooseModel, endpointRules } = await ports.load(
    "src/features/models/choose/choose_model",
  );
  const rules = endpointRules(await ports.settings(), ports.home.config);
  const endpoints: string[] = [];
  for (const [role, { tier }] of Object.entries(await rolesAt(ports, root))) {
    if (request.role !== undefined && role !== request.role) continue;
    const { route } = await chooseModel(folder, { role, tier }, rules);
    endpoints.push(route.endpoint);
  }
  return [...hostsOf(endpoints), ...others];
}

/** Hosts of providers with a key, and all that the user's config allows: repos come and go. */
export async function hostsOfUser(
  ports: PreparationPorts,
  roots: readonly string[],
  request: HostRequest,
): Promise<string[]> {
  const { modelEndpoint, profile } = request;
  const others = [
    ...await codeHosts(ports, roots, request),
    ...await mcpHosts(ports, profile),
  ];
  const named = modelEndpoint === undefined ? [] : namedHref(modelEndpoint);
  const configured = await isConfigured(ports) ||
    Object.keys(ports.env.all()).some((name) => /_KEY$/.test(name));
  if (!configured) return [...hostsOf(named), ...others];
  const { models } = await ports.settings();
  const keys = models.allowed_key_envs.filter((name) => ports.env.get(name));
  const own = models.default === undefined ? [] : [models.default.endpoint];
  const endpoints = [...named, ...own, ...models.allowed_origins];
  if (keys.length > 0) {
    const { registry } = await ports.load("src/features/models/choose/registry");
    const known = registry().providers.filter(({ api_key_env }) => keys.includes(api_key_env));
    endpoints.push(...known.map(({ endpoint }) => endpoint));
  }
  return [...hostsOf(endpoints), ...others];
}
