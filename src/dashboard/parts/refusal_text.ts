/** The reason of a refusal as a person reads it, with the wait that the service asks for. */
import { ServiceRefusal, UNREACHED, Unreached } from "svc/dashboard/state/api.ts";
import { span } from "svc/dashboard/state/words.ts";

export function refusalText(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  const wait = thrown instanceof ServiceRefusal ? thrown.retryAfterSecs : undefined;
  return wait === undefined ? said : `${said}. Try again in ${span(wait)}`;
}

/** As `refusalText`, of something that was to be done: nobody knows whether that has reached the service. */
export function faultOfAct(thrown: unknown): string {
  return thrown instanceof Unreached
    ? `${UNREACHED}. It may have been done all the same: look before you ask again`
    : refusalText(thrown);
}
