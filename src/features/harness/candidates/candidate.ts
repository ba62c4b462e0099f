/** A command that may become a check, where it was read, and what the machine needs for it. */
import type { RootFiles } from "svc/features/harness/root_files.ts";
import type { Programs } from "svc/platform/process/program.ts";
import { namedPrograms } from "./named_programs.ts";

export interface DetectedCommand {
  readonly name: string;
  readonly run: readonly string[];
}

export const ANY_PROGRAM: Programs = { has: () => true };

export interface Offer {
  readonly run: readonly string[];
  /** The file that names it, such as `package.json`. */
  readonly source: string;
  /** Why it comes last. */
  readonly doubt?: string;
  /** Other commands of the project that it runs, such as `make test_unit`. */
  readonly runs?: readonly string[];
  /** Programs beside the first word, such as those of a shell line. */
  readonly needs?: readonly string[];
}

export interface Candidate extends Offer, DetectedCommand {}

/** Check name → what could be that check, by preference. */
export type Offers = Readonly<Record<string, readonly Offer[]>>;

export interface Ecosystem {
  readonly language: string;
  applies(root: RootFiles): boolean;
  manager(root: RootFiles): string;
  offers(root: RootFiles, programs: Programs): Offers;
}

/** @param line undefined where the project has no such command */
export function offer(source: string, line: string | undefined): Offer[] {
  return line === undefined ? [] : [{ run: line.split(" "), source }];
}

/** Programs that PATH must find: not those that a set-up puts into the tree. */
export function programsOf({ run, needs }: Pick<Offer, "run" | "needs">): readonly string[] {
  return (needs ?? namedPrograms(run)).filter((program) => !program.includes("/"));
}

/** The first that PATH lacks. */
export const absentIn = (one: Pick<Offer, "run" | "needs">, programs: Programs) =>
  programsOf(one).find((program) => !programs.has(program));

export const isHere = (one: Pick<Offer, "run" | "needs">, programs: Programs): boolean =>
  programsOf(one).every((program) => programs.has(program));
