/** Reports that a collector took. */
import { integer, rowId, text } from "svc/store/columns.ts";

export const table = {
  name: "telemetry_intake",
  columns: {
    id: rowId(),
    report_id: text(),
    /** Epoch ms. */
    received_at: integer(),
    /** The bytes that came, as text; its shape is `Report`. */
    body: text(),
  },
};
