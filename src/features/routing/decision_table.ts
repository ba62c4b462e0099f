/** Decisions (spec section 4.2): what followed a job, by which rule and from which facts; and what people decided. */
import type { Disposition } from "svc/core/disposition.ts";
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

/** The rule of what a person decided: no rule of the manifest did. */
export const PERSON_RULE = "person";

export const table = {
  name: "decisions",
  columns: {
    id: text(),
    repo_id: text(),
    /** A person's decision names the newest job that it is about; where there is none, itself. */
    job_id: text(),
    /** Epoch ms. */
    at: integer(),
    role: text(),
    ticket_id: textOrNull(),
    /** The disposition that counts; `inputs` has what the role said. */
    disposition: text<Disposition>(),
    rule: text(),
    inputs: text(),
    /** JSON array of `{rule, why}`: the rules that did not match. */
    refused: text(),
    /** Such as "in-progress → review"; null when the ticket stays. */
    move: textOrNull(),
    next_role: textOrNull(),
    next_job: textOrNull(),
    stop: textOrNull(),
    /** 0: a rehearsal, which changed nothing. */
    applied: integer(),
  },
};
export type Decision = Row<typeof table>;
