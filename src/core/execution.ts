/** How the programs of a job are contained: as the user's own config says, never a repo. */

export const SANDBOXES = ["off", "bubblewrap"] as const;
export type SandboxKind = typeof SANDBOXES[number];

/** `none`: sockets of Unix alone. `loopback`: an own 127.0.0.1 that reaches nothing outside. `full`: the user's network. */
export const NETWORKS = ["none", "loopback", "full"] as const;
export type NetworkReach = typeof NETWORKS[number];

/** For what a job starts a program: each may reach another network. */
export const EXECUTION_STEPS = ["set_up", "checks", "commands", "servers"] as const;
export type ExecutionStep = typeof EXECUTION_STEPS[number];

export interface ExecutionLimits {
  /** MB that all processes of one program may hold, and each may map for its data. */
  readonly memory_mb: number;
  readonly processes: number;
  /** MB of one file that it writes. */
  readonly file_mb: number;
  /** MB of its private home, and as much of its `/tmp`; both are memory. */
  readonly temporary_mb: number;
}

export interface ExecutionRules {
  readonly sandbox: SandboxKind;
  readonly network: Readonly<Record<ExecutionStep, NetworkReach>>;
  /** Absolute folders that programs may write beside the work tree, such as a package manager's cache. */
  readonly caches: readonly string[];
  /** Absolute folders of the home, or of another hidden place, that programs may read. */
  readonly toolchains: readonly string[];
  /** Absolute folders that are hidden beside those that always are. */
  readonly hidden: readonly string[];
  readonly limits: ExecutionLimits;
}

/** A job's program, as the one who starts it knows it; where no sandbox is wanted it says nothing. */
export interface Containment {
  readonly step: ExecutionStep;
  /** The one folder that it may write; none for a program that belongs to no repo. */
  readonly tree?: string;
  /** Git's folder that the tree shares; it may be read. */
  readonly commonDir?: string;
  /** The user's config lets this server run outside. */
  readonly outside?: boolean;
}
