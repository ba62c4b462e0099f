/** No connection of svc's streams rows. */
import { Failure } from "svc/core/failure.ts";

/** In place of `DatabaseConnection.streamQuery` of Kysely. @throws Failure `internal` */
// deno-lint-ignore require-yield -- it is called for the refusal alone
export async function* noStream(): AsyncGenerator<never> {
  throw new Failure("internal", "Cannot stream rows: the read transaction would stay open", {
    remedy: "Read in pages",
  });
}
