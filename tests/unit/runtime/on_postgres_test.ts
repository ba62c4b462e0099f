/** Jobs end to end on PostgreSQL, in this process: claims, budgets, settlements. */
import { onPostgres } from "tests/unit/store/on_postgres.ts";

// Those left out look into the file, or start another process on it.
onPostgres(/pass alone|killed with its process|where no check is named/);
await import("./engine/engine_test.ts");
await import("./engine/engine_budget_test.ts");
await import("./settle/merge_check_test.ts");
