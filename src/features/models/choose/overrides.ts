/** Reads and edits `.harness/model-overrides.yaml`; an edit keeps comments and order. */
import { compareText } from "svc/core/order.ts";
import { MODEL_FILE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { type Document, isMap, parseDocument, readYaml } from "svc/platform/yaml.ts";
import {
  NO_OVERRIDES,
  type Override,
  OVERRIDE_KEYS,
  overrideKeys,
  Overrides,
  OVERRIDES_PATH,
} from "./override_shape.ts";
import { readRepoText, type RepoText } from "./repo_text.ts";

/** @throws Failure `environment` naming file, line, column, key and what is allowed */
export function parseOverrides(text: string): Overrides {
  const source = { text, path: OVERRIDES_PATH, allowed: overrideKeys };
  return text.split("\n").every((line) => /^\s*(?:#|$)/.test(line))
    ? NO_OVERRIDES
    : readYaml(source, Overrides);
}

interface OverridesFile {
  readonly overrides: Overrides;
  readonly file: RepoText | undefined;
}

export async function readOverrides(folder: Pick<Folder, "read">): Promise<OverridesFile> {
  const file = await readRepoText(folder, OVERRIDES_PATH, MODEL_FILE_BYTES);
  return { file, overrides: file === undefined ? NO_OVERRIDES : parseOverrides(file.text) };
}

export interface OverrideScope {
  readonly section: "tiers" | "roles";
  readonly name: string;
}

export function overrideAt(
  overrides: Overrides,
  { section, name }: OverrideScope,
): Override | undefined {
  const entries: Readonly<Record<string, Override | undefined>> = overrides[section];
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

const NEW_FILE =
  "# Which model a role or a tier of this repo uses: svc models override edits this, " +
  "and so may you.\nversion: 1\n";

function styleOf(text: string) {
  const indent = /^( {2,8})\S/m.exec(text)?.[1]?.length ?? 2;
  return { lineWidth: 0, indent, flowCollectionPadding: !/\{\S/.test(text) };
}

function same(one: unknown, other: unknown): boolean {
  const sorted = (_: string, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => compareText(a, b)))
      : value;
  return JSON.stringify(one, sorted) === JSON.stringify(other, sorted);
}

function without(overrides: Overrides, { section, name }: OverrideScope): Overrides {
  const kept = Object.entries(overrides[section]).filter(([key]) => key !== name);
  return { ...overrides, [section]: Object.fromEntries(kept) };
}

/** Key by key in maps too, so that the comments beside the others stay. */
function setOrRemove(doc: Document, at: readonly string[], key: string, value: unknown): void {
  const path = [...at, key];
  const old = doc.getIn(path);
  if (value === undefined) {
    if (doc.hasIn(path)) doc.deleteIn(path);
  } else if (isMap(old) && typeof value === "object") {
    const keys = new Set([...old.items.map((item) => String(item.key)), ...Object.keys(value!)]);
    for (const each of keys) setOrRemove(doc, path, each, value![each as keyof typeof value]);
  } else {
    doc.setIn(path, value);
  }
}

/** @throws Failure `conflict` when entries share values, so that one edit would change several */
export function editOverrides(
  text: string | undefined,
  scope: OverrideScope,
  override: Override | undefined,
): string {
  const before = text === undefined ? NO_OVERRIDES : parseOverrides(text);
  const wanted = override === undefined ? without(before, scope) : {
    ...before,
    [scope.section]: { ...before[scope.section], [scope.name]: override },
  };
  if (text !== undefined && same(before, wanted)) return text;
  const doc = parseDocument(text ?? NEW_FILE);
  const { section, name } = scope;
  if (doc.get("version") === undefined) doc.set("version", 1);
  if (override === undefined) {
    doc.deleteIn([section, name]);
    if (Object.keys(wanted[section]).length === 0) doc.delete(section);
  } else {
    // An empty `tiers: {}` would keep its braces around the first entry.
    if (Object.keys(before[section]).length === 0) doc.delete(section);
    const entry = doc.getIn([section, name]);
    if (typeof entry === "object" && entry !== null && !("items" in entry)) {
      doc.deleteIn([section, name]);
    }
    for (const key of OVERRIDE_KEYS) setOrRemove(doc, [section, name], key, override[key]);
  }
  const written = doc.toString(styleOf(text ?? NEW_FILE));
  const edited = text?.includes("\r\n") ? written.replaceAll(/\r?\n/g, "\r\n") : written;
  // An alias elsewhere may repeat the edited entry.
  if (same(parseOverrides(edited), wanted)) return edited;
  throw new Failure("conflict", `Cannot edit "${OVERRIDES_PATH}": its entries share values`, {
    remedy: `Edit ${OVERRIDES_PATH} by hand, or write its values out instead of using * aliases`,
  });
}
