/** Checks of a project with a `package.json`: which of its scripts, and what starts them. */
import { entriesAt, jsonObject } from "svc/features/harness/json_text.ts";
import type { RootFiles } from "svc/features/harness/root_files.ts";
import type { Offer, Offers } from "./candidate.ts";
import type { Programs } from "svc/platform/process/program.ts";

const LOCKS = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
] as const;

/** Such as `pnpm@9.1.0`, with or without a hash behind "+". */
function pinned(root: RootFiles): { name: string; version: string } | undefined {
  const named = jsonObject(root.text("package.json"))["packageManager"];
  const [, name = "", version = ""] = /^(\w+)@([\w.-]+)/.exec(String(named)) ?? [];
  return ["npm", "pnpm", "yarn", "bun"].includes(name) ? { name, version } : undefined;
}

export function nodeManager(root: RootFiles): string {
  return LOCKS.find(([file]) => root.has(file))?.[1] ?? pinned(root)?.name ?? "npm";
}

/** The first pnpm that writes a lock file of this version (pnpm.io/git, lockfileVersion). */
const PNPM_OF_LOCK: Readonly<Record<string, string>> = { 5: "7", 6: "8", 9: "9" };

/** Yarn 2 and later, whose settings alone are in `.yarnrc.yml`. */
export const isYarnBerry = (root: RootFiles): boolean =>
  root.has(".yarnrc.yml") || /^yarn@[2-9]/.test(`${pinned(root)?.name}@${pinned(root)?.version}`);

/** npm has Yarn 1 as `yarn`, later ones as `@yarnpkg/cli-dist`; the first starts what `yarnPath` names. */
function yarnPackage(root: RootFiles): string {
  if (!isYarnBerry(root) || /^yarnPath:/m.test(root.text(".yarnrc.yml"))) return "yarn@1";
  const pin = pinned(root);
  return `@yarnpkg/cli-dist@${pin?.name === "yarn" ? pin.version : "4"}`;
}

/** What `npx` fetches. */
function packageOf(root: RootFiles, manager: string): string {
  const pin = pinned(root);
  if (manager === "yarn" && (pin?.name !== "yarn" || isYarnBerry(root))) return yarnPackage(root);
  if (pin?.name === manager) return `${manager}@${pin.version}`;
  const lock = /^lockfileVersion: *'?(\d+)/.exec(root.text("pnpm-lock.yaml"))?.[1];
  const known = lock === undefined ? undefined : PNPM_OF_LOCK[lock];
  return known === undefined ? manager : `${manager}@${known}`;
}

/**
 * The words that start the package manager here: itself, else what comes with node and fetches it. Corepack
 * is set by variables (nodejs/corepack, README), which svc does not pass on; npx reads `.npmrc`.
 */
export function managerWords(
  root: RootFiles,
  programs: Programs,
  manager = nodeManager(root),
): readonly string[] {
  if (programs.has(manager) || !["pnpm", "yarn"].includes(manager)) return [manager];
  if (programs.has("npx")) return ["npx", "--yes", packageOf(root, manager)];
  return programs.has("corepack") ? ["corepack", manager] : [manager];
}

type Scripts = Readonly<Record<string, unknown>>;

const CALLS =
  /\b(?:(?:npm|pnpm|yarn|bun)(?: run(?:-script)?)?|run-[sp]|npm-run-all2?)((?: +[\w:.=-]+)+)/g;

/** What each script starts is read once. */
const KNOWN = new WeakMap<Scripts, Map<string, readonly string[]>>();

/** In their order, with npm's `pre` and `post` scripts. */
function startedBy(scripts: Scripts, name: string): readonly string[] {
  const known = KNOWN.get(scripts) ?? new Map<string, readonly string[]>();
  KNOWN.set(scripts, known);
  const before = known.get(name);
  if (before !== undefined) return before;
  const called = [...String(scripts[name]).matchAll(CALLS)]
    .flatMap(([, words]) => words!.split(/ +/));
  const started = [...new Set([`pre${name}`, ...called, `post${name}`])]
    .filter((one) => Object.hasOwn(scripts, one) && typeof scripts[one] === "string");
  known.set(name, started);
  return started;
}

/** The script with those that it calls, each once: a repo's scripts may call each other in any number. */
function chain(scripts: Scripts, name: string): string[] {
  if (typeof scripts[name] !== "string") return [];
  const found = new Set<string>();
  const open = [name];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    open.push(...startedBy(scripts, one).toReversed());
  }
  return [...found];
}

/** A formatter or a fixer that writes: eslint, prettier, biome, remark, dprint. */
const WRITES = /(?:^|\s)(?:--write|--fix|-w)(?=\s|$)/;
/** A failure before it counts as success (sh(1)). */
const SWALLOWS = /(?:\|\||;)\s*(?:(?:true|:|exit 0)\s*|echo\b[^&|;]*)$/;

/** Runs until somebody ends it: of Jest, Vitest, Mocha, AVA, Karma, Node and others. */
const WATCHES = /(?:^|\s)(?:--watch(?:-?all)?(?:=true)?|vitest (?:watch|dev))(?=\s|$)/i;

/** They watch, and look only at what changed, unless `CI` is set (create-react-app.dev, Running Tests). */
const WATCHES_OUTSIDE_CI = /\b(?:react-scripts|react-app-rewired|craco) test\b/;
const IS_TOLD = /\bCI=|--watch(?:-?all)?=false/i;

function wantsCi(scripts: Scripts, name: string): boolean {
  return chain(scripts, name).map((one) => String(scripts[one]))
    .some((body) => WATCHES_OUTSIDE_CI.test(body) && !IS_TOLD.test(body));
}

function doubtOf(scripts: Scripts, name: string): string | undefined {
  for (const one of chain(scripts, name)) {
    const body = String(scripts[one]);
    if (WRITES.test(body)) return `its script "${one}" writes files`;
    if (WATCHES.test(body)) return `its script "${one}" watches files, and does not end`;
    if (SWALLOWS.test(body)) return `its script "${one}" ends well whatever fails`;
  }
  return undefined;
}

const isReal = (body: unknown): boolean =>
  typeof body === "string" && body.trim() !== "" && !body.includes("no test specified");

/** Check → the names that its script has in projects. */
const NAMES = {
  test: ["test", "test:unit", "test:ci", "test:run", "tests-only", "unit"],
  lint: ["lint"],
  typecheck: ["typecheck", "type-check", "check-types", "test:types"],
  build: ["build"],
} as const;

function scriptsFor(scripts: Scripts, check: keyof typeof NAMES): string[] {
  const named = NAMES[check].filter((name) => isReal(scripts[name]));
  if (check !== "test") return named.slice(0, 1);
  const below = named.flatMap((name) => chain(scripts, name))
    .filter((name) => /test|unit|spec/i.test(name) && !/^(?:pre|post)/.test(name));
  return [...new Set([...named.slice(0, 1), ...below, ...named.slice(1)])];
}

const lineOf = (words: readonly string[], script: string): string[] =>
  words[0] === "npm" && script === "test"
    ? ["npm", "test"]
    : words[0] === "npm" || words[0] === "bun"
    ? [...words, "run", script]
    : [...words, script];

export function nodeOffers(root: RootFiles, programs: Programs): Offers {
  const scripts = entriesAt(root.text("package.json"), "scripts");
  const manager = nodeManager(root);
  const here = managerWords(root, programs, manager);
  const offersFor = (check: keyof typeof NAMES): Offer[] =>
    scriptsFor(scripts, check).flatMap((script) => {
      const doubt = doubtOf(scripts, script);
      const runs = chain(scripts, script).filter((one) => one !== script)
        .map((one) => `${manager} run ${one}`);
      const rest = { source: "package.json", runs, ...(doubt !== undefined && { doubt }) };
      const set = wantsCi(scripts, script) ? ["env", "CI=true"] : [];
      const starting = (words: readonly string[]) => ({
        ...rest,
        run: [...set, ...lineOf(words, script)],
      });
      return here[0] === manager ? [starting([manager])] : [starting([manager]), starting(here)];
    });
  return {
    test: offersFor("test"),
    lint: offersFor("lint"),
    typecheck: offersFor("typecheck"),
    build: offersFor("build"),
  };
}
