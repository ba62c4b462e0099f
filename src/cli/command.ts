/** Declares a command; help, completion, docs, the gate and `--json` all read the declaration. */
import { isServerAddress, isSocketAddress } from "svc/core/server_address.ts";
import type { Immutable } from "svc/core/immutable.ts";
import type { Authority } from "svc/platform/confined/give_up.ts";
import type { ModulePath } from "svc/platform/entrance.ts";
import type { z } from "zod";
import type { Confinement } from "svc/runtime/start/confinement.ts";
import type { Flags, Values } from "./flags.ts";
import type { Page } from "svc/cli/page/page.ts";

/** `none` needs no home and no repo; `runs_agents` and `serves` run in a Worker with the permissions of `confine`. */
export type Effect = "none" | "reads" | "writes_home" | "writes_target" | "runs_agents" | "serves";

/** What a command of each effect keeps; `net` and a database server widen it. Agents and services give up in their Worker. */
const AUTHORITIES: Readonly<Record<Effect, Authority>> = {
  none: "output",
  reads: "offline",
  writes_home: "offline",
  writes_target: "offline",
  runs_agents: "whole",
  serves: "whole",
};

export function authorityOf(
  { effect, net }: Pick<CommandText, "effect" | "net">,
  given: Readonly<Record<string, unknown>>,
): Authority {
  const asked = net !== undefined &&
    (net.withFlag === undefined || ![undefined, false].includes(given[net.withFlag] as never)) &&
    (net.withoutFlag === undefined || given[net.withoutFlag] !== true);
  const byNetwork = [given.db, given.from, given.to].some((said) =>
    typeof said === "string" && isServerAddress(said) && !isSocketAddress(said)
  );
  return asked || byNetwork ? "whole" : AUTHORITIES[effect];
}

export const MODES = {
  json: "Print one JSON object",
  plain: "Print without colour or styling",
  yes: "Never prompt: fail with a remedy instead",
  "dry-run": "Show what would change and change nothing",
} as const;
export type Mode = keyof typeof MODES;

export function modeAbout(mode: Mode, { stream }: Pick<CommandText, "stream">): string {
  return mode === "json" && stream !== undefined
    ? `Print lines, each a JSON object: ${stream}`
    : MODES[mode];
}

/** Who may give a command; one that says what only a person may say is refused to programs of a job. */
export interface GivenBy {
  readonly who: "anyone" | "person";
  readonly because: string;
  /** Keys of flags: without all of them anyone may give the command. `--dry-run` anyone may give. */
  readonly with?: readonly string[];
  /** Where there is no terminal, somebody has to add `--yes`. */
  readonly asks?: true;
}

export interface Example {
  readonly line: string;
  readonly about: string;
}

/** The part of a declaration that is data; the generated tree holds it for every command. */
export interface CommandText {
  readonly about: string;
  readonly details?: string;
  readonly examples: readonly Example[];
  readonly effect: Effect;
  /**
   * What the command needs the network for, as the end of "It may …". Without this, or without the flag that it
   * names, the command has no network.
   */
  readonly net?: { readonly to: string; readonly withFlag?: string; readonly withoutFlag?: string };
  readonly givenBy: GivenBy;
  readonly modes: readonly Mode[];
  /** What the lines of `--json` are, where they are several; the last one is `result`. */
  readonly stream?: string;
  /** Other full paths of the same command, such as "update binary". */
  readonly aliases?: readonly string[];
  /** Jobs may run on for `SERVE_GRACE_MS` after the first signal; a second signal ends them at once. */
  readonly graceful?: true;
  /**
   * Modules that `run` loads in the Worker; the Worker loads them while `confine` is at work, and calls
   * the `warmUp` of those that have one.
   */
  readonly ahead?: readonly ModulePath[];
  readonly hidden?: true;
  readonly flags: Flags;
  readonly args?: Flags;
  /** What follows `--`; nothing may follow it where this is absent. */
  readonly rest?: { readonly value: string; readonly about: string };
}

export interface CommonOptions {
  readonly json: boolean;
  readonly plain: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly rest: readonly string[];
}

type CommandOptions<F extends Flags, A extends Flags> = Values<F> & Values<A> & CommonOptions;

export interface Command<F extends Flags, A extends Flags, R, C> extends CommandText {
  readonly flags: F;
  readonly args?: A;
  /** Shape of the `--json` object. A function of zod, so that a command costs zod only under `--json`. */
  result(zod: typeof z): z.ZodType<R>;
  /** What the Worker of a `runs_agents` or `serves` command may touch, computed before it starts. */
  confine?(app: C, asked: CommandOptions<F, A>): Promise<Confinement>;
  /** Does the work and returns data; prints nothing but progress. */
  run(app: C, asked: CommandOptions<F, A>): Promise<Immutable<R>>;
  /** Exit status of a run that did not fail; 0 unless the result itself is bad news. */
  exit?(result: Immutable<R>): number;
  show(result: Immutable<R>, page: Page, asked: CommandOptions<F, A>): void;
}

// deno-lint-ignore no-explicit-any -- the runner handles commands of every shape
export type AnyCommand = Command<any, any, any, any>;

export interface CommandModule {
  readonly default: AnyCommand;
}

export function command<F extends Flags, R, C, A extends Flags = Record<never, never>>(
  spec: Command<F, A, R, C>,
): Command<F, A, R, C> {
  return spec;
}
