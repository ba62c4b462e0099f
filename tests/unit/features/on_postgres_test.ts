/** Stores whose SQL is not Kysely's alone, on PostgreSQL: what their tests prove on SQLite. */
import { onPostgres } from "tests/unit/store/on_postgres.ts";

// Those left out look into the file itself.
onPostgres(
  /noted, as by a killed process|hostile data in every column|every combination of its lists|same jobs give the same bytes/,
);
await import("./telemetry/event_store_test.ts");
await import("./telemetry/make_report_test.ts");
await import("./telemetry/outbox_test.ts");
await import("./checks/check_store_test.ts");
await import("./trust/trust_store_test.ts");
await import("./code_intel/metrics_test.ts");
await import("./models/local/profile_store_test.ts");
await import("./repos/register_test.ts");
await import("./scores/read_scores_test.ts");
await import("./webhooks/settle_requests_test.ts");
await import("./webhooks/settle_pulls_test.ts");
