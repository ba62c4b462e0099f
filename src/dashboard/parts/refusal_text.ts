/** The reason of a refusal as a person reads it, with the wait that the service asks for. */
import { ServiceRefusal } from "svc/dashboard/state/api.ts";
import { span } from "svc/dashboard/state/words.ts";

export function refusalText(thrown: unknown): string {
  const said = thrown instanceof Error ? thrown.message : String(thrown);
  const wait = thrown instanceof ServiceRefusal ? thrown.retryAfterSecs : undefined;
  return wait === undefined ? said : `${said}. Try again in ${span(wait)}`;
}
