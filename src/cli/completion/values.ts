/** Values that completion offers from disk: quick scans that load no YAML and no database. */
import { FILE_READ_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import type { ValueSource } from "svc/cli/flags.ts";
import type { Candidate } from "./engine.ts";

interface ValuePorts {
  readonly files: Pick<Files, "list" | "readText" | "stat">;
  /** Names the home, which holds a folder for each registered repo (spec section 2.1). */
  readonly env: Env;
  readonly repo: string;
}

/** Local model bundles (spec section 4.5, `setup --local-bundle`). */
const BUNDLES: readonly Candidate[] = [
  { value: "local-cpu-q3", about: "smallest, runs on the CPU" },
  { value: "local-balanced-q4", about: "between speed and quality" },
  { value: "local-quality-q8", about: "largest, best answers" },
];

/** A file or folder that is not there, or not readable, is no value to offer. */
async function orNone<T>(read: Promise<T>, none: T): Promise<T> {
  try {
    return await read;
  } catch (thrown) {
    if (thrown instanceof Failure) return none;
    throw thrown;
  }
}

function unquote(key: string): string {
  if (key.startsWith('"')) return key.slice(1, -1).replace(/\\(["\\])/g, "$1");
  return key.startsWith("'") ? key.slice(1, -1).replaceAll("''", "'") : key;
}

/** No key of a manifest is longer; a longer line would make the pattern slow. */
const LINE_CHARS = 500;

const KEY = /^( +)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#:-](?:[^:]|:(?=\S))*?)\s*:(?:\s|$)/;

/** The keys under `roles:`, by indentation alone; a manifest in flow style gives none. */
export function rolesOf(manifest: string): string[] {
  const lines = manifest.split(/\r?\n/);
  const start = lines.findIndex((line) => /^roles:\s*(?:#.*)?$/.test(line));
  if (start === -1) return [];
  const roles: string[] = [];
  let indent: string | undefined;
  for (const line of lines.slice(start + 1)) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    if (!line.startsWith(" ")) break;
    const [, spaces, key] = KEY.exec(line.slice(0, LINE_CHARS)) ?? [];
    indent ??= spaces;
    if (key !== undefined && spaces === indent) roles.push(unquote(key));
  }
  return roles;
}

async function roles({ files, repo }: ValuePorts): Promise<Candidate[]> {
  const path = `${repo}/.harness/manifest.yaml`;
  const text = await orNone(files.readText(path, { maxBytes: FILE_READ_BYTES, lossy: true }), "");
  return rolesOf(text).map((value) => ({ value, about: "" }));
}

async function entriesIn(files: Pick<Files, "list">, path: string) {
  return (await orNone(files.list(path), { entries: [], more: 0, skipped: 0 })).entries;
}

async function foldersIn(files: Pick<Files, "list">, path: string): Promise<string[]> {
  return (await entriesIn(files, path)).filter(({ kind }) => kind === "folder").map(({ name }) =>
    name
  );
}

/** Each database folder below the home is named after its repo. */
async function repos({ files, env }: ValuePorts): Promise<Candidate[]> {
  const { db } = homeOf(env);
  const found = await Promise.all((await foldersIn(files, db)).map(async (value) => {
    const facts = await orNone(files.stat(`${db}/${value}/svc.db`), undefined);
    return facts?.kind === "file" ? [{ value, about: "" }] : [];
  }));
  return found.flat();
}

/** `docs/tickets/<state>/T-0007-short-slug.md` (the ticket's file name is its id and slug). */
async function tickets({ files, repo }: ValuePorts): Promise<Candidate[]> {
  const root = `${repo}/docs/tickets`;
  const found = await Promise.all((await foldersIn(files, root)).map(async (state) => {
    return (await entriesIn(files, `${root}/${state}`)).flatMap(({ name }) => {
      const [, value, slug = ""] = /^(T-\d+)(?:-(.*))?\.md$/.exec(name) ?? [];
      return value === undefined
        ? []
        : [{ value, about: `${state}: ${slug.replaceAll("-", " ")}`.replace(/: $/, "") }];
    });
  }));
  return found.flat().sort((a, b) => a.value < b.value ? -1 : 1);
}

/** This home's own; the others are known to a server alone, which nobody asks for a completion. */
async function nodes({ files, env }: ValuePorts): Promise<Candidate[]> {
  const { node } = homeOf(env);
  const text = await orNone(files.readText(node, { maxBytes: FILE_READ_BYTES, lossy: true }), "");
  const [, value] = /"name": "([A-Za-z0-9][A-Za-z0-9._-]*)"/.exec(text) ?? [];
  return value === undefined ? [] : [{ value, about: "this machine" }];
}

/** What a repo names is untrusted: a value that would be read as a flag is left out. */
export async function valuesFrom(
  source: ValueSource,
  from: ValuePorts,
): Promise<readonly Candidate[]> {
  switch (source) {
    case "roles":
      return (await roles(from)).filter(({ value }) => !value.startsWith("-"));
    case "repos":
      return (await repos(from)).filter(({ value }) => !value.startsWith("-"));
    case "tickets":
      return await tickets(from);
    case "nodes":
      return await nodes(from);
    case "bundles":
      return BUNDLES;
    case "commands":
      return []; // The engine knows them from the tree.
  }
}
