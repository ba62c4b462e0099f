/** Tools of a repo that may run, each as it was when it was approved. */
import { integer, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "tool_approvals",
  columns: {
    repo_id: text(),
    name: text(),
    /** Hex; of the definition, and of the program where that lies in the repo. */
    sha256: text(),
    /** "person", or "agent:<role>". */
    approved_by: text(),
    /** Epoch ms. */
    approved_at: integer(),
  },
};
export type ToolApproval = Row<typeof table>;
