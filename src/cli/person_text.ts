/** What a person says to a role: from the command line or standard input, and never with a secret in it. */
import type { App } from "svc/app.ts";

interface PersonText {
  readonly text: string | undefined;
  /** Something that looked like a secret was left out. */
  readonly redacted: boolean;
}

/** @param given `-` reads standard input */
export async function personText(
  { readInput, redact }: Pick<App, "readInput" | "redact">,
  given: string | undefined,
): Promise<PersonText> {
  const said = given === "-" ? await readInput() : given;
  if (said === undefined) return { text: undefined, redacted: false };
  const text = redact(said);
  return { text, redacted: text !== said };
}
