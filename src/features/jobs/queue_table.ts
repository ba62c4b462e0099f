/** Whether workers may claim jobs (spec section 3.1): one row, or none before the first pause. */
import { integer, integerOrNull, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "queue_state",
  columns: {
    id: integer(),
    paused: integer(),
    reason: textOrNull(),
    /** Epoch ms; set exactly while paused. */
    since: integerOrNull(),
  },
};
