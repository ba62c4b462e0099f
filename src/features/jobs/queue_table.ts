/** Whether workers may claim jobs (spec section 3.1): one row, or none before the first pause. */
import { integer, integerOrNull, textOrNull } from "svc/store/columns.ts";

export const table = {
  name: "queue_state",
  columns: {
    /** Always 1. */
    id: integer(),
    paused: integer(),
    /** Set exactly while paused. */
    reason: textOrNull(),
    /** Epoch ms; set exactly while paused. */
    since: integerOrNull(),
  },
};
