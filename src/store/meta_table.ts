/** Facts about a database file itself. */
import { text } from "./columns.ts";

export const table = {
  name: "meta",
  columns: {
    /** `repo_path`, `git_dir:<path>` for what tells a repo's git folder from a copy, or `migration:<name>` for
     * the checksum of a migration that was applied. */
    key: text(),
    value: text(),
  },
};
