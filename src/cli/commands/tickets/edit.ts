import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { editInEditor, keptText } from "svc/cli/edit_in_editor.ts";
import { choice, many, on, path, repo, required, text } from "svc/cli/flags.ts";
import { ticketResult, userName } from "svc/cli/page/ticket.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { mustNameRole } from "svc/cli/typed_role.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { editTicket, type SetFields } from "svc/features/tickets/edit_ticket.ts";
import { openTicket, ticketId } from "svc/features/tickets/ticket_list.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";
import { type Checkout, openCheckout } from "svc/platform/git/checkout.ts";

interface AskedFields {
  readonly title: string | undefined;
  readonly type: typeof TICKET_TYPES[number] | undefined;
  readonly priority: typeof PRIORITIES[number] | undefined;
  readonly role: string | undefined;
  readonly acceptance: readonly string[];
  readonly dependsOn: readonly string[];
}

/** "none" alone is an empty list. */
const listIn = (given: readonly string[]) => given.join() === "none" ? [] : given;

function fieldsOf({ title, type, priority, role, acceptance, dependsOn }: AskedFields): SetFields {
  return {
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(priority !== undefined && { priority }),
    ...(role !== undefined && { role }),
    ...(acceptance.length > 0 && { acceptance: listIn(acceptance) }),
    ...(dependsOn.length > 0 && { depends_on: listIn(dependsOn).map(ticketId) }),
  };
}

/** Largest file that is taken as a text; the ticket's own bound is tighter. */
const TEXT_BYTES = 4 * 1024 * 1024;

async function textIn(app: App, file: string): Promise<string> {
  const bytes = await app.files.read(file, { maxBytes: TEXT_BYTES });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failure("usage", `Cannot take ${file}: it is not UTF-8`, {
      cause,
      remedy: `Convert it: iconv -t UTF-8 ${shellWord(file)}`,
    });
  }
}

export default command({
  about: "Change a ticket's fields or its text, as a commit of its own",
  details:
    "Changes only what you name, and adds a line of evidence that says what. --editor opens the " +
    "whole file in $VISUAL or $EDITOR, or vi. If the ticket changes meanwhile, nothing is " +
    "written, and your text is kept beside it. id, source, counts and the branch stay as they " +
    "are: only svc writes those. A job that already works on the ticket keeps the text that it " +
    "began with. To take an edit back, use git revert with the commit that is printed.",
  examples: [
    { line: "svc tickets edit T-0007 --priority p0", about: "more urgent" },
    {
      line: "svc tickets edit 7 --depends-on T-0003 --depends-on T-0005",
      about: "the whole list; none empties it",
    },
    { line: "svc tickets edit 7 --editor", about: "the whole file, in your editor" },
    { line: "svc tickets edit 7 --file mine.md", about: "put this text in its place" },
  ],
  effect: "writes_target",
  net: { to: "start your editor, which may do all that you may", withFlag: "editor" },
  givenBy: { who: "person", because: "roles go by a ticket as by a person's word" },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    title: text("text", "One line that says what is to be done"),
    type: choice(TICKET_TYPES, "What kind of work it is"),
    priority: choice(PRIORITIES, "p0 is most urgent"),
    role: text("role", "Who works on it", { suggest: "roles" }),
    acceptance: many(
      text("text", "What must hold when it is done: the whole list; none empties it"),
    ),
    dependsOn: many(
      text("id", "Tickets that must be done first: the whole list; none empties it", {
        suggest: "tickets",
      }),
    ),
    editor: on("Edit the whole file in $VISUAL or $EDITOR"),
    file: path("path", "Replace the whole ticket by the text of this file"),
  },
  args: { id: required(text("id", "The ticket", { suggest: "tickets" })) },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      ticket: ticketResult(z),
      /** Empty where nothing was different. */
      changes: z.array(z.string()),
      version: z.string(),
      commit: z.string().exactOptional(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    using checkout = await openCheckout(app, asked.repo ?? app.cwd());
    const id = ticketId(asked.id);
    const fields = fieldsOf(asked);
    const ways = [Object.keys(fields).length > 0, asked.editor, asked.file !== undefined];
    if (ways.filter((way) => way).length !== 1) {
      throw new Failure("usage", `Cannot edit ${id}: name fields, or --editor, or --file`, {
        remedy: "svc tickets edit --help",
      });
    }
    if (asked.editor && asked.dryRun) {
      throw new Failure("usage", `Cannot edit ${id} without a change: your text would be lost`, {
        remedy: "Leave out --dry-run; a file that you leave as it is changes nothing",
      });
    }
    const actor = await userName(app, checkout.git);
    const mustHaveRole = (role: string) => mustNameRole(app, checkout.git.root, role);
    const writing = { actor, dryRun: asked.dryRun, redact: app.redact, mustHaveRole };
    const { ticket, changes, version, commit } = asked.editor
      ? await inEditor(app, checkout, id, writing)
      : await editTicket(checkout, id, {
        ...writing,
        ...(asked.file === undefined ? { fields } : { text: await textIn(app, asked.file) }),
      });
    return {
      repo: checkout.git.root,
      ...{ ticket, changes, version },
      ...(commit !== undefined && { commit }),
      dry_run: asked.dryRun,
    };
  },

  show({ repo, ticket, changes, commit, dry_run }, page, asked) {
    if (changes.length === 0) return page.line(`Nothing is different in ${ticket.id}`);
    page.line(
      dry_run
        ? `Would edit ${ticket.id}: ${changes.join("; ")}`
        : `Edited ${ticket.id}: ${changes.join("; ")}, in commit ${commit!.slice(0, 12)}`,
    );
    if (dry_run) return;
    page.next(
      `svc tickets show ${ticket.id}${samePlace(asked)}; to take it back: git -C ${
        shellWord(repo)
      } revert ${commit!.slice(0, 12)}`,
    );
  },
});

type Writing = Pick<
  Parameters<typeof editTicket>[2],
  "actor" | "dryRun" | "mustHaveRole" | "redact"
>;

/** Whatever keeps the text out of the ticket, the person's text stays in a file. */
async function inEditor(app: App, checkout: Checkout, id: string, writing: Writing) {
  const opened = await openTicket(checkout, id);
  const version = opened.content.sha256;
  const draft = await editInEditor(app, checkout, opened);
  if (draft === undefined) {
    return { ticket: opened.ticket, version, changes: [], commit: undefined };
  }
  try {
    const edited = await editTicket(checkout, id, { ...writing, version, text: draft.text });
    await draft.drop();
    return edited;
  } catch (thrown) {
    throw keptText(thrown, draft.path, opened.ticket);
  }
}
