/** A fault in the file of a ticket or a template, as opposed to a failure to read the file. */
import { Failure } from "svc/core/failure.ts";

/** A file of the repo is at fault: who asks can mend it. */
export class TicketFault extends Failure {
  constructor(message: string, remedy: string) {
    super("environment", message, { remedy });
  }
}

/** @throws TicketFault for what `read` cannot read */
export function orTicketFault<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    throw code === "environment" ? new TicketFault(message, remedy) : thrown;
  }
}
