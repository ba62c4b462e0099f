/** The arguments of one call while they are repaired: what was declared, what was given, and what was changed. */
import type { AnyTool } from "svc/features/tools/tool.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { foldedKey } from "./other_keys.ts";

/** The part of JSON Schema that tools use: flat, scalars and lists of scalars. */
export interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: FieldSchema;
}

/** A scalar as text; an object would say what its own `toString` says, or throw. */
export function scalarText(value: unknown): string {
  return typeof value === "object" || value === undefined ? "" : String(value);
}

export const isTrue = (value: unknown) => scalarText(value).toLowerCase() === "true";

/** Compares scalars and flat lists: others may be nested too deeply. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
    a.every((item, at) => item === b[at]);
}

export class AskedArgs {
  readonly tool: string;
  /** What was repaired, such as `key:file_path=path`; the part before the colon is the kind. */
  readonly repairs: string[] = [];
  readonly #declared: Readonly<Record<string, FieldSchema>>;
  readonly #required: ReadonlySet<string>;
  readonly #fields: Map<string, unknown>;

  constructor(tool: AnyTool, given: object) {
    const { properties = {}, required = [] } = definitionOf(tool).function.parameters;
    this.tool = tool.name;
    this.#declared = properties as Record<string, FieldSchema>;
    this.#required = new Set(required as readonly string[]);
    // Some models name every field: a null means one left out.
    this.#fields = new Map(Object.entries(given).filter(([, value]) => value !== null));
  }

  declares(key: string): boolean {
    return Object.hasOwn(this.#declared, key);
  }

  schema(key: string): FieldSchema {
    return this.declares(key) ? this.#declared[key]! : {};
  }

  declaredKeys(): readonly string[] {
    return Object.keys(this.#declared);
  }

  optional(key: string): boolean {
    return !this.#required.has(key);
  }

  keys(): readonly string[] {
    return [...this.#fields.keys()];
  }

  strangeKeys(): readonly string[] {
    return this.keys().filter((key) => !this.declares(key));
  }

  has(key: string): boolean {
    return this.#fields.has(key);
  }

  get(key: string): unknown {
    return this.#fields.get(key);
  }

  set(key: string, value: unknown, repair?: string): void {
    this.#fields.set(key, value);
    if (repair !== undefined) this.note(repair);
  }

  drop(key: string, repair?: string): void {
    this.#fields.delete(key);
    if (repair !== undefined) this.note(repair);
  }

  /** @param repair may hold a key that a model made up */
  note(repair: string): void {
    if (this.repairs.length < 40) this.repairs.push(repair.slice(0, 100));
  }

  /** The first argument that the tool does not declare and that is called so, whatever its case. */
  strange(...names: readonly string[]): string | undefined {
    return this.strangeKeys().find((key) => names.includes(foldedKey(key)));
  }

  /** Removes it. */
  take(...names: readonly string[]): unknown {
    const key = this.strange(...names);
    if (key === undefined) return undefined;
    const value = this.get(key);
    this.drop(key);
    return value;
  }

  /** In the order of the tool's schema; own properties alone, also of the name "__proto__". */
  fields(): Record<string, unknown> {
    const declared = this.declaredKeys().filter((key) => this.has(key));
    const keys = [...declared, ...this.strangeKeys()];
    return Object.fromEntries(keys.map((key) => [key, this.get(key)]));
  }
}
