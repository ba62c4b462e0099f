/** Registered repos (spec section 2.2). The database a repo is registered in is the file itself. */
import { integer, type Row, text, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "repos",
  columns: {
    /** First 12 hex digits of SHA-256 of the path, or of the URL. */
    id: text(),
    /** Real and absolute; of a URL, `/` and the URL, which the store turns into this machine's clone. */
    path: text(),
    /** `owner/repo`. */
    remote: textOrNull(),
    branch: text(),
    /** Epoch ms. */
    created_at: integer(),
    updated_at: integer(),
    /** Such as `github.com`, lower case, with the port if any; null where no remote is, or none was kept. */
    host: textOrNull(),
    /** Where nodes clone it from; null: it is the folder at `path`. */
    url: textOrNull(),
    /** The node whose folder it is, in the database of a server; null with `url`, and in a file. */
    node_id: textOrNull(),
  },
};
export type RegisteredRepo = Row<typeof table>;
