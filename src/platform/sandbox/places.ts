/** Which folders of this machine a sandbox hides, which it shows, and which a job may write. */
import type { ExecutionRules } from "svc/core/execution.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { withoutEnding } from "svc/core/text_ends.ts";

/** Homes, sockets of services, temporary files, and what is mounted now and then. */
const EMPTIED = ["/home", "/root", "/run", "/tmp", "/var", "/var/tmp", "/mnt", "/media"];

/** Keys of this machine; only root could read most of them. */
const KEYS = ["/etc/ssh", "/etc/ssl/private"];
const KEY_FILES = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];

/** What installed programs read there. */
const KEPT_OF_VAR = ["ca-certificates", "dpkg", "gems", "ghc", "texmf"].map((at) =>
  `/var/lib/${at}`
);

/** Nothing hides these: no program would start. */
const SYSTEM = [
  ...["/", "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc"],
  ...["/sbin", "/sys", "/usr", "/usr/bin", "/usr/lib", "/usr/local", "/usr/sbin"],
];

/** Below the home, never shown, and no folder around them. */
const SECRETS = [
  ...[
    ".aws",
    ".azure",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".docker",
    ".git-credentials",
  ],
  ...[".gnupg", ".kube", ".local/share/keyrings", ".mozilla", ".netrc", ".password-store", ".ssh"],
];

/** Below the home: what a folder of PATH needs beside itself; `*` is any one name. */
const TOOL_ROOTS = [
  ...[
    ".asdf",
    ".bun",
    ".deno",
    ".linuxbrew",
    ".local/share/mise",
    ".npm-global",
    ".nvm/versions/node/*",
  ],
  ...[".local/share/fnm/node-versions/*", ".pyenv", ".rbenv", ".sdkman/candidates", ".volta"],
];

/** The launchers of rustup start what lies here. */
const BESIDE: Readonly<Record<string, string>> = { ".cargo/bin": ".rustup" };

export const within = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.replace(/\/?$/, "/"));

const overlap = (one: string, other: string) => within(one, other) || within(other, one);

export interface SandboxPlaces {
  /** `HOME` of the programs. */
  readonly home: string;
  /** Real paths, parents first. */
  readonly emptied: readonly string[];
  /** Their content is hidden where they exist. */
  readonly keyFiles: readonly string[];
  /** Real paths; read-only. */
  readonly shown: readonly string[];
  /** Folders of PATH that are links: what each leads to. */
  readonly links: readonly { readonly at: string; readonly to: string }[];
  /** Real paths; writable. */
  readonly caches: readonly string[];
  /** The file that names the servers of DNS, where it is hidden otherwise. */
  readonly resolver: string | undefined;
}

export interface SandboxUser {
  readonly env: { readonly HOME?: string | undefined; readonly PATH?: string | undefined };
  /** Folders of svc's own; one below another counts where it is a link that leads elsewhere. */
  readonly own: readonly string[];
  /** Databases that lie elsewhere. */
  readonly databases: readonly string[];
}

export async function realOf(path: string): Promise<string | undefined> {
  return await Deno.realPath(path).catch(() => undefined);
}

async function reals(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(realOf));
  return [...new Set(found.filter((path) => path !== undefined))];
}

function refuse(key: string, path: string, why: string, remedy: string): never {
  throw new Failure("environment", `Cannot use ${quoted(path)} of execution.${key}: ${why}`, {
    remedy: `${remedy}, in ~/.svc/config.yaml`,
  });
}

interface Forbidden {
  readonly home: string | undefined;
  readonly own: readonly string[];
}

/** Real paths of the folders that the config names. @throws Failure for one that would show or give away too much */
async function named(
  key: "caches" | "toolchains",
  paths: readonly string[],
  { home, own }: Forbidden,
): Promise<string[]> {
  const secrets = home === undefined ? [] : SECRETS.map((name) => `${home}/${name}`);
  const found: string[] = [];
  for (const path of paths) {
    const real = await realOf(path);
    if (real === undefined || !(await Deno.stat(real)).isDirectory) {
      refuse(key, path, "there is no such folder", "Make it, or leave it out");
    }
    if (SYSTEM.includes(real) || home !== undefined && within(home, real)) {
      refuse(key, path, "it is your home or a folder of the system", "Name a folder of one tool");
    }
    const secret = [...own, ...secrets].find((folder) => overlap(real, folder));
    if (secret !== undefined) {
      refuse(key, path, `${quoted(secret)} stays hidden`, "Name a folder without it");
    }
    found.push(real);
  }
  return found;
}

/** A job could put a link in the place of a folder that it may write around. */
function mustLieApart(caches: readonly string[], toolchains: readonly string[]): void {
  for (const [at, cache] of caches.entries()) {
    const others = [...caches.slice(0, at), ...caches.slice(at + 1), ...toolchains];
    const inner = others.find((other) => within(other, cache));
    if (inner !== undefined) {
      refuse("caches", inner, `it lies in the cache ${quoted(cache)}`, "Name one of both");
    }
  }
}

function toolRoot(path: string, home: string): string {
  const names = path.slice(home.length + 1).split("/");
  const fits = (root: string) => {
    const parts = root.split("/");
    return parts.length <= names.length &&
      parts.every((part, at) => part === "*" || part === names[at]);
  };
  const root = TOOL_ROOTS.find(fits);
  return root === undefined ? path : `${home}/${names.slice(0, root.split("/").length).join("/")}`;
}

/** Folders of PATH that would be hidden, with what their programs need. */
async function ofPath(
  path: string,
  emptied: readonly string[],
  { home, own }: Forbidden,
  caches: readonly string[],
) {
  const [shown, links]: [string[], { at: string; to: string }[]] = [[], []];
  const secrets = home === undefined ? [] : SECRETS.map((name) => `${home}/${name}`);
  const isHidden = (at: string) => emptied.some((folder) => within(at, folder));
  for (const entry of path.split(":").filter((one) => /^\/[^/]/.test(one))) {
    const at = withoutEnding(entry, "/");
    const real = await realOf(at);
    if (real === undefined) continue;
    const below = home !== undefined && within(real, home) && real !== home;
    const root = below ? toolRoot(real, home) : real;
    const beside = below ? BESIDE[real.slice(home.length + 1)] : undefined;
    const needed = beside === undefined ? [root] : [root, ...await reals([`${home}/${beside}`])];
    const apart = [...own, ...secrets, ...caches, ...(home === undefined ? [] : [home])];
    const hides = (folder: string) =>
      emptied.some((one) => within(one, folder)) || SYSTEM.includes(folder) ||
      apart.some((one) => one === home ? within(one, folder) : overlap(folder, one));
    if (needed.some(hides)) continue;
    shown.push(...needed.filter(isHidden));
    if (real !== at && isHidden(at) && !needed.some((one) => within(at, one))) {
      links.push({ at, to: real });
    }
  }
  return { shown: [...new Set(shown)], links };
}

/** @throws Failure `environment` for folders of the config that cannot be used */
export async function sandboxPlaces(
  rules: Pick<ExecutionRules, "caches" | "hidden" | "toolchains">,
  { env, own: mine, databases }: SandboxUser,
): Promise<SandboxPlaces> {
  const real = await realOf(env.HOME || "/");
  // The home of a system's user may be a folder that programs are in.
  const home = real !== undefined && !SYSTEM.includes(real) ? real : undefined;
  const ours = await reals(mine);
  const own = ours.filter((path) => !ours.some((other) => other !== path && within(path, other)));
  const hidden = await reals([...KEYS, ...rules.hidden]);
  const system = [...own, ...hidden].find((folder) => SYSTEM.includes(folder));
  if (system !== undefined) {
    refuse("hidden", system, "programs of the system lie there", "Name a folder below it");
  }
  const always = await reals(EMPTIED);
  const emptied = [...new Set([...always, ...(home ? [home] : []), ...own, ...hidden])].sort();
  const forbidden = { home, own };
  const caches = await named("caches", rules.caches, forbidden);
  const toolchains = await named("toolchains", rules.toolchains, forbidden);
  mustLieApart(caches, toolchains);
  const { shown, links } = await ofPath(env.PATH ?? "", emptied, forbidden, caches);
  const resolver = await realOf("/etc/resolv.conf");
  return {
    home: home === undefined ? "/tmp" : env.HOME!,
    emptied,
    keyFiles: [
      ...KEY_FILES,
      ...databases.flatMap((path) => [path, `${path}-wal`, `${path}-shm`]),
    ],
    shown: [...new Set([...await reals(KEPT_OF_VAR), ...shown, ...toolchains])].sort(),
    links,
    caches: caches.sort(),
    resolver: emptied.some((folder) => within(resolver ?? "/", folder)) ? resolver : undefined,
  };
}
