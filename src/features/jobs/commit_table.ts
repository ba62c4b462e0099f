/** The origin of each commit on a role's branch, as svc itself knows it, whatever the commit says. */
import { integer, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "job_commits",
  columns: {
    repo_id: text(),
    /** On another branch the same commit is nobody's. */
    branch: text(),
    commit_id: text(),
    /** A session that a person opened has an id of its own. */
    job_id: text(),
    role: text(),
    at: integer(),
  },
};
export type JobCommit = Row<typeof table>;
