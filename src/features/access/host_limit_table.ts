/** Code hosts that have refused requests for their number: nobody asks them before the time is over. */
import { integer, type Row, text } from "svc/store/columns.ts";

export const table = {
  name: "host_limits",
  columns: {
    host: text(),
    kind: text<"primary" | "secondary">(),
    /** Epoch ms. */
    until: integer(),
    /** In a row, without an answer between them. */
    refusals: integer(),
  },
};
export type HostLimit = Row<typeof table>;
