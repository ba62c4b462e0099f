/** The type of a `doctor` probe: it looks at one thing and returns findings with their fixes. */
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";
import type { TreeObstacle } from "svc/platform/git/worktrees.ts";
import type { Home } from "svc/platform/home.ts";
import type { SaidByEnvironment } from "svc/features/settings/reporting.ts";

export type FindingLevel = "ok" | "warning" | "error";

export interface HeldBackLane {
  readonly kind: "model" | "role";
  readonly key: string;
  readonly reason: string;
  readonly role: string | null;
  readonly repo: string | null;
}

export interface ProbedServer {
  readonly name: string;
  readonly state: "failed" | "not_started" | "ready";
  readonly reason: string | null;
  readonly tools: readonly string[];
}

export interface ProbeFinding {
  readonly level: FindingLevel;
  readonly text: string;
  readonly fix?: string;
}

/** What probes may look at: read-only, except for a test file in the home. */
export interface ProbeContext {
  readonly files: Files;
  readonly git: Git;
  /** @throws Failure `environment` when no home can be named */
  readonly home: () => Home;
  readonly configPath: () => string;
  /** What the environment says about anonymous reports. */
  readonly reportingSaid: () => SaidByEnvironment;
  readonly runtime: { readonly deno: string; readonly target: string; readonly build: string };
  readonly repo: {
    readonly git: GitRepo;
    readonly folder: Folder;
    /** What keeps svc from making work trees of it. */
    readonly obstacles: () => Promise<readonly TreeObstacle[]>;
    /** Where its database knows it to be, when it was moved from there. */
    readonly movedFrom: () => Promise<string | undefined>;
  } | undefined;
  readonly diskFree: (path: string) => Promise<number>;
  readonly checkDatabase: (path: string) => Promise<readonly string[]>;
  /** Empty when the file cannot be read. */
  readonly heldBack: (path: string) => Promise<readonly HeldBackLane[]>;
  /** Those of the user's config; started only where a person said so. */
  readonly mcpServers: () => Promise<readonly ProbedServer[]>;
  /** Undefined where the config wants no sandbox. @throws Failure `environment` where it cannot be had */
  readonly sandbox: () => Promise<
    readonly { readonly name: string; readonly held: boolean }[] | undefined
  >;
  readonly databases: () => Promise<readonly string[]>;
}

export interface Probe {
  readonly id: string;
  readonly about: string;
  run(context: ProbeContext): Promise<readonly ProbeFinding[]>;
}

export const ok = (text: string): ProbeFinding => ({ level: "ok", text });
export const warning = (text: string, fix: string): ProbeFinding => ({
  level: "warning",
  text,
  fix,
});
export const error = (text: string, fix: string): ProbeFinding => ({ level: "error", text, fix });
