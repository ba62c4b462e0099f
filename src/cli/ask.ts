/** Asks for consent where somebody can give it, and says which flag gives it where nobody can. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { visible } from "svc/core/visible_text.ts";
import type { CommonOptions } from "./command.ts";

interface ConsentRequest {
  /** Completes "Cannot …", such as "init". */
  readonly doing: string;
  readonly question: string;
  readonly preview: readonly string[];
}

type ConsentPorts = Pick<
  App,
  "prompt" | "progress" | "signal" | "stderr" | "stdinTerminal" | "stdout"
>;

/** Whether somebody sits there who can answer. */
export const asksHere = (
  { stdinTerminal, stdout }: Pick<App, "stdinTerminal" | "stdout">,
  { json }: CommonOptions,
): boolean => stdinTerminal && stdout.terminal && !json;

/** For a person who leaves a question, by Ctrl-C or at the end of the input. */
export const unanswered = (doing: string) =>
  new Failure("interrupted", `Cannot ${doing}: no answer was given`, {
    remedy: "Nothing was written; run it again, or see its flags with --help",
  });

/** @throws Failure `answer_needed` where nobody can be asked, `refused` when the answer is no, as `unanswered` */
export async function consent(
  app: ConsentPorts,
  given: CommonOptions,
  { doing, question, preview }: ConsentRequest,
): Promise<void> {
  if (given.yes) return;
  if (!asksHere(app, given)) {
    throw new Failure(
      "answer_needed",
      `Cannot ${doing}: it needs a yes, and nobody can be asked here`,
      { remedy: "Look at it with --dry-run, then add --yes" },
    );
  }
  app.progress.done();
  for (const line of preview) app.stderr.write(`${visible(line)}\n`);
  const answer = await app.prompt.confirm(visible(question), app.signal);
  if (answer === undefined) throw unanswered(doing);
  if (answer) return;
  throw new Failure("refused", `Cannot ${doing}: the answer was no; nothing was written`, {
    remedy: "Run it again and answer y, or add --yes",
  });
}
