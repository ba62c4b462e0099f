/** Long outputs on a terminal go through the person's pager. */
import { cells } from "svc/core/terminal_text.ts";
import { showableText } from "svc/cli/ascii_output.ts";
import type { Entrance } from "svc/platform/entrance.ts";

/** Wants a terminal, and nobody who said no: neither flags, nor `PAGER=cat`, nor a terminal that cannot scroll. */
export function pagerLine(
  { stdout, env }: Pick<Entrance, "env" | "stdout">,
  given: Readonly<Record<string, unknown>>,
): string | undefined {
  const off = given.json === true || given.plain === true || given.noPager === true;
  if (off || !stdout.terminal || env.get("TERM") === "dumb") return undefined;
  const line = env.get("PAGER") ?? "less -FRX";
  return ["", "cat"].includes(line.trim()) ? undefined : line;
}

// deno-lint-ignore no-control-regex -- styles take no cells
const STYLE = /\x1b\[[\d;]*m/g;

/** One row stays for the prompt. */
export function fitsOn(
  text: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): boolean {
  const taken = text.replace(/\n$/, "").split("\n")
    .reduce((sum, line) => {
      const width = cells(line.replace(STYLE, ""));
      return sum + Math.max(1, Math.ceil(width / columns));
    }, 0);
  return taken < rows;
}

/** A pager that cannot be run hides nothing: the text is printed after all. @param show prints to the entrance */
export async function pagedThrough(
  entrance: Entrance,
  given: Readonly<Record<string, unknown>>,
  show: (to: Entrance) => void,
): Promise<void> {
  const { stdout, env } = entrance;
  const line = pagerLine(entrance, given);
  if (line === undefined) return show(entrance);
  const parts: string[] = [];
  show({ ...entrance, stdout: { ...stdout, write: (text) => void parts.push(text) } });
  const text = parts.join("");
  const { pageThrough, screenRows } = await entrance.load("src/platform/process/lent_terminal");
  const fits = fitsOn(text, { columns: stdout.columns() ?? 80, rows: screenRows() });
  const shown = !fits && await pageThrough(line, showableText(entrance, text), env.all());
  if (!shown) stdout.write(text);
}
