/** A failure of the database, its disk or its server, whatever error code a command makes of it. */
import { Failure } from "svc/core/failure.ts";

/** Not the fault of who asked: it would be the same for any request. */
export class DatabaseFailure extends Failure {}
