/** Lets a person edit a ticket in their own editor, in a copy that outlives whatever goes wrong. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { textFault, TicketChanged } from "svc/features/tickets/edit_ticket.ts";
import type { OpenTicket, Ticket } from "svc/features/tickets/ticket_list.ts";
import { textOf } from "svc/features/tickets/ticket_text.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";

/** A draft may grow while it is edited; the ticket's own bound is tighter. */
const DRAFT_BYTES = 4 * 1024 * 1024;

interface EditedDraft {
  readonly text: string;
  readonly path: string;
  drop(): Promise<void>;
}

type EditorPorts = Pick<App, "clock" | "env" | "files" | "load" | "progress" | "stdinTerminal">;

/** A script may name a program that edits; vi needs a person. @throws Failure `answer_needed` */
function editorOf({ env, stdinTerminal }: EditorPorts, id: string): string {
  const named = [env.get("VISUAL"), env.get("EDITOR")].find((line) => line?.trim());
  if (named !== undefined || stdinTerminal) return named ?? "vi";
  throw new Failure(
    "answer_needed",
    `Cannot edit ${id}: no editor is named, and no terminal is here for vi`,
    { remedy: `Set EDITOR, or give the text: svc tickets edit ${id} --file <file>` },
  );
}

/**
 * The copy lies in the git folder, where no commit takes it, readable by its owner alone.
 * @returns undefined where nothing was changed. @throws Failure `environment` of the editor, as `editorOf`
 */
export async function editInEditor(
  app: EditorPorts,
  { git }: Pick<Checkout, "git">,
  { ticket, content }: OpenTicket,
): Promise<EditedDraft | undefined> {
  const fault = textFault({ ticket, content }, (text) => text);
  if (fault !== undefined) throw fault;
  const editor = editorOf(app, ticket.id);
  const before = textOf(content.bytes)!;
  const folder = `${git.commonDir}/svc-edit`;
  const at = new Date(app.clock.now()).toISOString().replaceAll(/[-:]|\..*/g, "");
  const path = `${folder}/${ticket.id}-${at}.md`;
  await app.files.makeFolder(folder);
  await app.files.writeAtomic(path, before, { mode: 0o600 });
  const drop = async () => await app.files.remove(path);
  const { edit } = await app.load("src/platform/process/lent_terminal");
  app.progress.done();
  const failed = await edit(editor, path, app.env.all()).then(() => undefined, Failure.from);
  const text = await app.files.readText(path, { maxBytes: DRAFT_BYTES });
  if (text === before) await drop();
  if (failed !== undefined) throw text === before ? failed : keptText(failed, path, ticket);
  return text === before ? undefined : { text, path, drop };
}

/** The failure, with where the person's text is and how it gets into the ticket. */
export function keptText(thrown: unknown, path: string, { id, path: file }: Ticket): Failure {
  const { code, message, remedy } = Failure.from(thrown);
  const draft = shellWord(path);
  // The ticket may lie in another folder by now.
  const present = thrown instanceof TicketChanged ? thrown.present.ticket.path : file;
  const first = thrown instanceof TicketChanged ? "" : `${remedy}. `;
  return new Failure(code, message, {
    cause: thrown,
    remedy: `${first}Your text is kept: diff ${draft} ${shellWord(present)}; when it is right: ` +
      `svc tickets edit ${id} --file ${draft}`,
  });
}
