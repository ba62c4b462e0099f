/** Flags and arguments as data: parser, help, completion and docs read the same record. */

export type Kind = "switch" | "text" | "path" | "choice" | "whole" | "number";

/** Where completion finds values that only the machine or the repo at hand knows. */
export type ValueSource = "roles" | "repos" | "bundles" | "tickets" | "nodes" | "commands";

export interface Flag<T> {
  readonly kind: Kind;
  readonly about: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly fallback?: string | number;
  readonly required?: true;
  readonly many?: true;
  readonly suggest?: ValueSource;
  /** The path may be the address of a database server instead. */
  readonly server?: true;
  /** One letter that stands for it: `f` for `-f`. */
  readonly short?: string;
  /** Carries the type of the parsed value; never set. */
  readonly type?: T;
}

// deno-lint-ignore no-explicit-any -- a record of flags is heterogeneous; Values<F> types each one
export type Flags = Readonly<Record<string, Flag<any>>>;
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never;
};

type About = Pick<Flag<unknown>, "suggest">;

export function on(about: string, more: Pick<Flag<unknown>, "short"> = {}): Flag<boolean> {
  return { kind: "switch", about, ...more };
}

export function text(value: string, about: string, more: About = {}): Flag<string | undefined> {
  return { kind: "text", about, value, ...more };
}

/** Parsed to an absolute path; relative ones start at the working directory. */
export function path(value: string, about: string): Flag<string | undefined> {
  return { kind: "path", about, value };
}

export function database(about: string): Flag<string | undefined> {
  return { ...path("file", about), server: true };
}

export function choice<const C extends string>(
  choices: readonly C[],
  about: string,
): Flag<C | undefined> {
  return { kind: "choice", about, value: choices.join("|"), choices };
}

export function whole(
  value: string,
  about: string,
  range: { min: number; max: number },
): Flag<number | undefined> {
  return { kind: "whole", about, value, ...range };
}

export function number(
  value: string,
  about: string,
  range: { min: number; max: number },
): Flag<number | undefined> {
  return { kind: "number", about, value, ...range };
}

export function required<T>(flag: Flag<T | undefined>): Flag<T> {
  return { ...flag, required: true } as Flag<T>;
}

export function otherwise<T extends string | number>(
  flag: Flag<T | undefined>,
  fallback: NoInfer<T>,
): Flag<T> {
  return { ...flag, fallback } as Flag<T>;
}

export function many<T>(flag: Flag<T | undefined>): Flag<readonly T[]> {
  return { ...flag, many: true } as Flag<readonly T[]>;
}

export function flagName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const repo = path("path", "Target repo (default: the current folder)");

/** A command that has it shows a long output in the person's pager. */
export const noPager = on("Print a long list at once, not in $PAGER");
