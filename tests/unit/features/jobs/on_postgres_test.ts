/** The queue on PostgreSQL: what its tests prove on SQLite. */
import { onPostgres } from "tests/unit/store/on_postgres.ts";

onPostgres();
await import("./job_store_test.ts");
await import("./job_limit_store_test.ts");
await import("./job_views_test.ts");
await import("./use_store_test.ts");
await import("./commit_store_test.ts");
await import("./job_machine_test.ts");
await import("./job_queue_property_test.ts");
await import("./cost_views_test.ts");
await import("./claim_limits_test.ts");
