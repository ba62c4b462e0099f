/** What a probe of `doctor` is: one look at one thing, with findings that carry their own fix. */
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";
import type { Home } from "svc/platform/home.ts";

export type Level = "ok" | "warning" | "error";

/** A model or a role whose jobs wait for a person. */
export interface HeldBack {
  readonly kind: "model" | "role";
  readonly key: string;
  readonly reason: string;
  /** That is held back, or has a job that waits for the model; null when none has. */
  readonly role: string | null;
  /** Path of its repo, where it is registered. */
  readonly repo: string | null;
}

export interface Finding {
  readonly level: Level;
  readonly text: string;
  /** The command or edit that mends it. */
  readonly fix?: string;
}

/** What probes may look at; all of it read-only but for a test file in the home. */
export interface Ground {
  readonly files: Files;
  readonly git: Git;
  /** @throws Failure `environment` when no home can be named */
  readonly home: () => Home;
  /** From `--config`, else the home's. */
  readonly configPath: () => string;
  readonly runtime: { readonly deno: string; readonly target: string; readonly build: string };
  /** The target repo; undefined when the folder is in none and none was named. */
  readonly repo: { readonly git: GitRepo; readonly folder: Folder } | undefined;
  /** Bytes that a user may still write where `path` lies. */
  readonly diskFree: (path: string) => Promise<number>;
  /** Problems of a database file; empty when it is sound. */
  readonly checkDatabase: (path: string) => Promise<readonly string[]>;
  /** What holds back jobs of a database file; empty when it cannot be read. */
  readonly heldBack: (path: string) => Promise<readonly HeldBack[]>;
  /** From `--db`, else those that commands of this repo use. */
  readonly databases: () => Promise<readonly string[]>;
}

export interface Probe {
  readonly id: string;
  readonly about: string;
  run(ground: Ground): Promise<readonly Finding[]>;
}

export const ok = (text: string): Finding => ({ level: "ok", text });
export const warning = (text: string, fix: string): Finding => ({ level: "warning", text, fix });
export const error = (text: string, fix: string): Finding => ({ level: "error", text, fix });
