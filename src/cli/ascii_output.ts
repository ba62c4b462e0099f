/** Output for places that show ASCII alone: the one place where svc's own signs are replaced. */
import { asciiMarks, asciiOnly } from "svc/core/ascii_marks.ts";
import type { Entrance, Sink } from "svc/platform/entrance.ts";
import type { Terminal } from "svc/platform/terminal.ts";

const ascii = ({ env, stdout }: Pick<Entrance, "env" | "stdout">) =>
  asciiOnly((name) => env.get(name), stdout.terminal);

const plainly = (sink: Sink): Sink => ({
  ...sink,
  write: (text) => sink.write(asciiMarks(text)),
});

/** What is for programs stays as it is. */
export function showable<E extends Entrance>(entrance: E, json: boolean): E {
  if (json || !ascii(entrance)) return entrance;
  return { ...entrance, stdout: plainly(entrance.stdout), stderr: plainly(entrance.stderr) };
}

/** For a text that another program shows, such as a pager. */
export const showableText = (entrance: Pick<Entrance, "env" | "stdout">, text: string): string =>
  ascii(entrance) ? asciiMarks(text) : text;

export function showableScreen(
  terminal: Terminal,
  entrance: Pick<Entrance, "env" | "stdout">,
): Terminal {
  if (!ascii(entrance)) return terminal;
  return { ...terminal, draw: (text) => terminal.draw(asciiMarks(text)) };
}
