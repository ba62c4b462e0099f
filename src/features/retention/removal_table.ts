/** What retention removed: told to whoever asks for it, and to what still refers to it. */
import type { Disposition } from "svc/core/disposition.ts";
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

/** `files`: trace, outputs and leftovers of a job whose record is still there. */
export type RemovedWhat = "files" | "job" | "decision";

export const table = {
  name: "removals",
  columns: {
    /** The id of the job or decision. */
    id: text(),
    what: text<RemovedWhat>(),
    job_id: text(),
    repo_id: text(),
    role: text(),
    ticket_id: textOrNull(),
    disposition: text<Disposition>(),
    /** Epoch ms, as all times here. */
    ended_at: integer(),
    removed_at: integer(),
  },
};
export type Removal = Row<typeof table>;
