/** What every act of a person needs, and the checks with which all of them begin. */
import { Failure } from "svc/core/failure.ts";
import { plainLines } from "svc/core/plain_text.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { cancelJob } from "svc/features/jobs/order_job.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";
import type { PersonActed } from "./person_act.ts";

/** Characters of what a person says: some 1,000 tokens of a prompt. */
const SAID_CHARS = 4_000;

/** How long a decision can be taken back, provided that nothing has followed from it. */
export const PERSON_UNDO_MS = 15 * 60 * 1000;

export const UNDO_TIME = `within ${PERSON_UNDO_MS / 60_000} minutes`;

export type ActPorts = Pick<
  RuntimePorts,
  "clock" | "db" | "files" | "git" | "profile" | "redact" | "worktrees"
>;

export interface ActPlace {
  readonly ports: ActPorts;
  readonly repo: Repo;
  /** Whose word it is, such as "Ada". */
  readonly by: string;
}

/**
 * The name of the act, if it has one. It is stored with the act's decision, which is therefore the record that
 * the name was used.
 */
export interface NamedAct {
  readonly request?: string;
  /** Digest of everything that was asked under the name, so that another request cannot pass for it. */
  readonly digest?: string;
}

export interface ActContext extends ActPlace {
  readonly named: NamedAct;
}

/** @param command what a person types instead, where nothing is served or an observer serves it */
export function mustBeHost({ profile }: Pick<ActPorts, "profile">, doing: string, command: string) {
  if (profile === "host") return;
  throw new Failure("refused", `Cannot ${doing}: this svc changes no repo`, { remedy: command });
}

/** @throws Failure `usage` for a long text */
export function saidIn(
  { redact }: Pick<ActPorts, "redact">,
  doing: string,
  text: string | undefined,
): string {
  const said = plainLines(text ?? "").trim();
  if (said.length <= SAID_CHARS) return redact(said);
  throw new Failure(
    "usage",
    `Cannot ${doing}: the text has ${said.length} characters, and ${SAID_CHARS} are taken`,
    { remedy: "Say the rest in the ticket's file, and name it here" },
  );
}

export async function liveJobsOn(db: Db, repoId: string, ticket: string): Promise<Job[]> {
  return (await liveJobs(db, repoId)).filter(({ ticket_id }) => ticket_id === ticket);
}

/** @throws Failure `conflict` while a role works on the ticket */
export async function mustRest(
  db: Db,
  { id }: Pick<Repo, "id">,
  ticket: string,
  doing: string,
): Promise<void> {
  const running = (await liveJobsOn(db, id, ticket)).find(({ status }) => status === "running");
  if (running === undefined) return;
  throw new Failure("conflict", `Cannot ${doing}: ${quoted(running.role)} works on it now`, {
    remedy: `Wait for its end, or stop it: svc jobs cancel ${running.id}`,
  });
}

/** A waiting job would continue from a state that no longer exists. Call it in a transaction. */
export async function cancelWaiting(
  tx: Db,
  repoId: string,
  ticket: string,
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<void> {
  for (const { id, status } of await liveJobsOn(tx, repoId, ticket)) {
    if (status === "pending") await cancelJob(tx, id, reason, now);
  }
}

export const acted = (
  decision: string,
  { outcome, undo }: { readonly outcome: string; readonly undo?: string },
): PersonActed => ({ decision, existed: false, said: outcome, undo });
