/** Brings notes of a person to a role: before its next turn, or in the prompt of the ticket's next job. */
import type { PersonNotes } from "svc/features/agent/agent.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { markRead, missedNotes, notesOf, unreadNotes } from "svc/features/jobs/note_store.ts";
import type { JobNote } from "svc/features/jobs/note_table.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

type NotePorts = Pick<RuntimePorts, "clock" | "db" | "log">;

const saidBy = ({ author, text }: Pick<JobNote, "author" | "text">) => `${author}: ${text}`;

/**
 * The notes for the prompt: those that ended jobs of the ticket missed, and those that an earlier attempt was
 * told.
 */
export async function earlierNotes({ db }: NotePorts, job: Job): Promise<readonly JobNote[]> {
  const { id, repo_id, ticket_id } = job;
  const missed = ticket_id === null ? [] : await missedNotes(db, repo_id, ticket_id);
  const before = (await notesOf(db, id)).filter(({ read_by }) => read_by !== null);
  return [...missed, ...before];
}

export const notesSaid = (notes: readonly JobNote[]): string[] => notes.map(saidBy);

/** @param inPrompt read with the first reply */
export function personNotes(
  { db, clock, log }: NotePorts,
  job: Job,
  inPrompt: readonly JobNote[],
): PersonNotes {
  let asked = inPrompt.map(({ id }) => id);
  return {
    async waiting() {
      const notes = await unreadNotes(db, job.id).catch((thrown) => {
        log.write("warn", "notes could not be read", { job: job.id, cause: thrown });
        return [];
      });
      return notes.map((note) => ({ id: note.id, text: saidBy(note) }));
    },
    async read(ids) {
      await markRead(db, [...asked, ...ids], { job: job.id, now: clock.now() });
      asked = [];
    },
  };
}

/** Text for a note that came after the end of the run; the ticket's next job is told the note. */
export async function missedBy({ db }: NotePorts, job: Job): Promise<string | undefined> {
  const unread = await unreadNotes(db, job.id);
  if (unread.length === 0) return undefined;
  const what = unread.length === 1 ? "1 note" : `${unread.length} notes`;
  const then = job.ticket_id === null ? "" : `; the next job of ${job.ticket_id} is told`;
  return `${what} came too late for the role to read${then}`;
}
