/** What the database, its disk or its server could not do, whatever its code says to a command. */
import { Failure } from "svc/core/failure.ts";

/** Not the fault of who asked: it would be the same for any request. */
export class DatabaseFailure extends Failure {}
