/** The type of a `doctor` probe: it looks at one thing and returns findings with their fixes. */
import type { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";
import type { TreeObstacle } from "svc/platform/git/worktrees.ts";
import type { Programs } from "svc/platform/process/program.ts";
import type { HarnessDrift } from "svc/features/harness/drift.ts";
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

interface AskedModel {
  /** Empty for the user's default outside of a repo. */
  readonly roles: readonly string[];
  readonly endpoint: string;
  readonly model: string;
  /** Somebody chose it, a repo or the user. */
  readonly chosen: boolean;
  /** Undefined where it answers. */
  readonly fault: { readonly text: string; readonly remedy: string } | undefined;
}

/** What the registry that svc ships holds. */
export interface RegistrySeen {
  readonly providers: number;
  readonly bundles: number;
  readonly runtimes: number;
  /** The file of each bundle. */
  readonly artifacts: readonly { readonly bundle: string; readonly file: string }[];
}

/** Undefined where nobody was to be asked. */
interface ModelLooks {
  registry(): Promise<RegistrySeen>;
  servers(): Promise<
    {
      readonly servers: readonly {
        readonly provider: string;
        readonly endpoint: string;
        readonly models: readonly unknown[];
      }[];
      readonly strangers: readonly { readonly endpoint: string; readonly why: string }[];
    } | undefined
  >;
  roles(): Promise<readonly AskedModel[] | undefined>;
}

interface ReleaseLooks {
  /** Undefined where nobody was to be asked. */
  access(): Promise<
    {
      readonly access: "anonymous" | "authenticated" | "unavailable";
      readonly endpoint: string;
      readonly credential: string | null;
      readonly reason: string | null;
      readonly remedy: string;
    } | undefined
  >;
  drift(): Promise<{
    readonly tool: {
      readonly installed: string;
      readonly latest: string | null;
      readonly drift: "current" | "behind" | "ahead" | "unknown";
      readonly reason: string | null;
    };
    readonly harness: HarnessDrift | undefined;
  }>;
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
    /** What a command needs in order to mean this repo: ` --repo …`, or "" in its own folder. */
    readonly place: string;
    /** What keeps svc from making work trees of it. */
    readonly obstacles: () => Promise<readonly TreeObstacle[]>;
    /** Its former folder as the database knows it, if the repo was moved. */
    readonly movedFrom: () => Promise<string | undefined>;
  } | undefined;
  /** Why the repo of the current folder cannot be opened. */
  readonly repoFault: Failure | undefined;
  /** What checks and set-ups can start. */
  readonly programs: Programs;
  readonly diskFree: (path: string) => Promise<number>;
  /** @throws Failure for a database server that cannot be used */
  readonly examineServer: (address: string) => Promise<readonly ProbeFinding[]>;
  readonly checkDatabase: (path: string) => Promise<readonly string[]>;
  /** Why this svc refuses a sound file: a newer svc or another program made it. */
  readonly strangeness: (path: string) => Promise<Failure | undefined>;
  /** Empty when the file cannot be read. */
  readonly heldBack: (path: string) => Promise<readonly HeldBackLane[]>;
  /** Those of the user's config; started only where a person said so. */
  readonly mcpServers: () => Promise<readonly ProbedServer[]>;
  /** Undefined where the config wants no sandbox. @throws Failure `environment` where it cannot be had */
  readonly sandbox: () => Promise<
    readonly { readonly name: string; readonly held: boolean }[] | undefined
  >;
  readonly databases: () => Promise<readonly string[]>;
  /** A person named it: it must be there. */
  readonly named: { readonly config: boolean; readonly database: boolean };
  readonly models: ModelLooks;
  readonly releases: ReleaseLooks;
  /** Where pull requests of `repo` go, and with which login. */
  readonly codeHost: () => Promise<readonly ProbeFinding[]>;
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
