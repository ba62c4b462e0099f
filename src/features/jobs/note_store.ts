/** The only module that writes the `job_notes` table. */
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { plainLines } from "svc/core/plain_text.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Db } from "svc/store/schema.ts";
import { jobById } from "./job_views.ts";
import type { JobNote } from "./note_table.ts";
import { recordJob } from "./order_job.ts";

/** Characters of a note: some 1,000 tokens of a prompt. */
const NOTE_CHARS = 4_000;

/** More are a conversation, for which a ticket is the place. */
const JOB_NOTES = 20;

export interface NewNote {
  /** Id of the whole job. */
  readonly job: string;
  readonly author: string;
  /** Redacted. */
  readonly text: string;
}

/** @throws Failure `usage` for no text or a long one; `not_found`; `conflict` for a job that is over or was told enough */
export async function tellJob(
  db: Db,
  { job: id, author, text }: NewNote,
  now: number,
): Promise<JobNote> {
  const cannot = `Cannot tell job ${quoted(id)}`;
  const said = plainLines(text).trim();
  if (said === "") {
    throw new Failure("usage", `${cannot}: no note is given`, {
      remedy: `svc jobs tell ${id} "…"`,
    });
  }
  if (said.length > NOTE_CHARS) {
    const much = `the note has ${said.length} characters, and ${NOTE_CHARS} are taken`;
    throw new Failure("usage", `${cannot}: ${much}`, {
      remedy: "Say the rest in a file of the repo, and name it in the note",
    });
  }
  return await db.transaction().execute(async (tx) => {
    const job = await jobById(tx, id);
    if (job === undefined) {
      throw new Failure("not_found", `${cannot}: there is none`, { remedy: "svc jobs list" });
    }
    if (job.status !== "running" && job.status !== "pending") {
      const ended = job.disposition ?? job.status;
      const next = job.ticket_id === null ? "svc jobs list" : `svc tickets show ${job.ticket_id}`;
      throw new Failure("conflict", `${cannot}: it is over (${ended})`, { remedy: next });
    }
    if ((await notesOf(tx, id)).length >= JOB_NOTES) {
      throw new Failure("conflict", `${cannot}: it was told ${JOB_NOTES} notes already`, {
        remedy: "Stop the job, change its ticket, and let it begin anew",
      });
    }
    const note: JobNote = {
      ...{ id: uuidV7(now), job_id: id, author, text: said, told_at: now },
      ...{ read_by: null, read_at: null },
    };
    await tx.insertInto("job_notes").values(note).execute();
    await recordJob(tx, job, { status: job.status, told: note.id }, now);
    return note;
  });
}

/** Oldest first. */
export function notesOf(db: Db, jobId: string): Promise<JobNote[]> {
  return db.selectFrom("job_notes").selectAll().where("job_id", "=", jobId).orderBy("id").execute();
}

export function unreadNotes(db: Db, jobId: string): Promise<JobNote[]> {
  return db.selectFrom("job_notes").selectAll().where("job_id", "=", jobId)
    .where("read_by", "is", null).orderBy("id").execute();
}

/** Notes to ended jobs of the ticket that none of them read. */
export function missedNotes(db: Db, repoId: string, ticketId: string): Promise<JobNote[]> {
  return db.selectFrom("job_notes").innerJoin("jobs", "jobs.id", "job_notes.job_id")
    .selectAll("job_notes")
    .where("jobs.repo_id", "=", repoId).where("jobs.ticket_id", "=", ticketId)
    .where("jobs.status", "in", ["completed", "failed"])
    .where("job_notes.read_by", "is", null).orderBy("job_notes.id").execute();
}

export async function markRead(
  db: Db,
  ids: readonly string[],
  { job, now }: { readonly job: string; readonly now: number },
): Promise<void> {
  if (ids.length === 0) return;
  await db.updateTable("job_notes").set({ read_by: job, read_at: now })
    .where("id", "in", [...ids]).where("read_by", "is", null).execute();
}
