/** Facts about a database file itself. */
import { text } from "./columns.ts";

export const table = {
  name: "meta",
  columns: {
    /** `repo_path`, or `migration:<name>` for the checksum of a migration that was applied. */
    key: text(),
    value: text(),
  },
};
