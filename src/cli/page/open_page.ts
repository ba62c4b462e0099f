/** The page that a command prints on stdout. */
import type { Entrance } from "svc/platform/entrance.ts";
import type { Redact } from "svc/core/redact.ts";
import { nextLine } from "svc/cli/next_line.ts";
import { type Page, page, styledOn } from "./page.ts";

/** @param given to the command, by declared key */
export function openPage(
  { stdout, env }: Pick<Entrance, "env" | "stdout">,
  given: { readonly plain: boolean },
  redact: Redact,
): Page {
  const columns = stdout.columns();
  return page((text) => stdout.write(text), {
    styled: !given.plain && styledOn(stdout, env),
    redact,
    ...(columns !== undefined && { columns }),
    nextLine: (command) => nextLine(command, given),
  });
}
