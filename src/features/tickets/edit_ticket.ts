/** A person's edit of a ticket: single fields or the whole text, as one commit with a line of evidence. */
import { flat } from "svc/core/flat.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { byteText } from "svc/core/marked_block.ts";
import type { Redact } from "svc/core/redact.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { mustNotCircle } from "./dependencies_read.ts";
import type { FrontEdits } from "./front_edit.ts";
import { rewrite, type TicketWriting } from "./rewrite_ticket.ts";
import { readTicket } from "./ticket_file.ts";
import { type OpenTicket, openTicket, type Ticket } from "./ticket_list.ts";
import { TICKET_BYTES, ticketPlaces } from "./ticket_places.ts";
import type { TicketFields } from "./ticket_shape.ts";
import { bytesFor, textOf } from "./ticket_text.ts";

/** Fields that a person may set. */
const SETTABLE = ["title", "type", "priority", "role", "depends_on", "acceptance"] as const;
export type SetFields = Partial<Pick<TicketFields, typeof SETTABLE[number]>>;

/** Fields that svc writes: rights, counts and links hang on them. */
const KEPT = [
  ...["id", "created", "source", "vouched", "fingerprint", "question", "rework", "attempts"],
  ...["branch", "external_url"],
] as readonly (keyof TicketFields)[];

export interface TicketEdit extends TicketWriting {
  /** Digest of the file that was read; without it the present one is changed. */
  readonly version?: string | undefined;
  /** The whole file, in place of `fields`. */
  readonly text?: string | undefined;
  readonly fields?: SetFields | undefined;
  readonly redact: Redact;
  /** Asked where the role changes. @throws Failure for one that does no work in this repo */
  mustHaveRole?(role: string): Promise<void>;
  /** The text as the person was shown it; if something in it was hidden, the text is not replaced. */
  shown?(text: string): string;
}

export interface EditedTicket {
  readonly ticket: Ticket;
  /** SHA-256 of the file's bytes. */
  readonly version: string;
  /** As the evidence tells it; empty where nothing is different. */
  readonly changes: readonly string[];
  readonly commit: string | undefined;
}

/** The file is another one than the person has read; it holds the present one, so that both can be shown. */
export class TicketChanged extends Failure {
  /** @param text of the present file; undefined for bytes that are not UTF-8 */
  constructor(readonly present: OpenTicket, readonly text: string | undefined) {
    const { ticket: { id, state, path } } = present;
    super("conflict", `Cannot edit ${id}: it was changed since it was read; it is ${state} now`, {
      remedy: `Look at ${path}, and edit it anew`,
    });
  }

  get version(): string {
    return this.present.content.sha256;
  }
}

const usage = (message: string, remedy: string) => new Failure("usage", message, { remedy });

function cleaned({ id }: Ticket, fields: SetFields): SetFields {
  const { title, role, acceptance, depends_on } = fields;
  const [named, worker] = [title, role].map((text) => text === undefined ? undefined : flat(text));
  if (named === "" || worker === "") {
    const which = named === "" ? "title" : "role";
    throw usage(`Cannot edit ${id}: its ${which} would be empty`, `Give a ${which}`);
  }
  return {
    ...fields,
    ...(named !== undefined && { title: named }),
    ...(worker !== undefined && { role: worker }),
    ...(acceptance && { acceptance: acceptance.map(flat).filter((line) => line !== "") }),
    ...(depends_on && { depends_on: [...new Set(depends_on)] }),
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Such as "priority p2 → p0" or "title". */
function changesBetween(old: TicketFields, now: SetFields): string[] {
  return SETTABLE.flatMap((name) => {
    const [before, after] = [old[name], now[name]];
    if (after === undefined || same(before, after)) return [];
    const short = name === "type" || name === "priority" || name === "role";
    if (short) return [`${name} ${before} → ${after}`];
    if (name !== "depends_on") return [name];
    return [`depends on ${now.depends_on!.join(", ") || "nothing"}`];
  });
}

/** Lines with what looks like a secret that were not there before. @throws Failure `refused` */
function mustHoldNoSecret({ id }: Ticket, before: string, after: string, redact: Redact): void {
  const known = new Set(before.split(/\r?\n/));
  const added = after.split(/\r?\n/).filter((line) => !known.has(line)).join("\n");
  if (redact(added) === added) return;
  throw new Failure("refused", `Cannot edit ${id}: the text would hold what looks like a secret`, {
    remedy: "Say where it is kept, in place of the secret",
  });
}

/** Why the file cannot be edited as a whole; single fields can be. */
export function textFault(
  { ticket: { id, path }, content: { bytes } }: OpenTicket,
  shown: (text: string) => string,
): Failure | undefined {
  const text = textOf(bytes);
  if (text === undefined) {
    return new Failure("conflict", `Cannot edit ${id} as a text: it is not UTF-8`, {
      remedy: `Convert it: iconv -t UTF-8 ${shellWord(path)}`,
    });
  }
  const lines = text.split("\n").flatMap((line, at) => shown(line) === line ? [] : [at + 1]);
  if (lines.length === 0 && shown(text) === text) return undefined;
  const where = lines.length === 0 ? "it" : `line ${lines.slice(0, 5).join(", ")}`;
  return new Failure(
    "conflict",
    `Cannot edit ${id} as a text here: ${where} holds a secret or a path of this machine, which is not shown`,
    { remedy: `svc tickets edit ${id} --editor` },
  );
}

interface PlannedEdit {
  /** As it is but for `edits` and the line of evidence. */
  readonly opened: OpenTicket;
  readonly edits: FrontEdits;
  readonly changes: readonly string[];
  readonly wishes?: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** @throws Failure `usage` that names line, column and key */
function fieldsIn({ id, path }: Ticket, bytes: Uint8Array): TicketFields {
  try {
    return readTicket(bytes, path);
  } catch (thrown) {
    const { code, message } = Failure.from(thrown);
    if (code !== "environment") throw thrown;
    const why = message.replace(/^Cannot read "[^"]*" /, "");
    throw usage(`Cannot edit ${id}: it would be no ticket ${why}`, "Mend that line of the text");
  }
}

function planText(
  opened: OpenTicket,
  text: string,
  shown: (text: string) => string,
): PlannedEdit {
  const { ticket, content } = opened;
  const fault = textFault(opened, shown);
  if (fault !== undefined) throw fault;
  if (text.includes("\0")) {
    throw usage(`Cannot edit ${ticket.id}: the text holds a NUL`, "Take it out");
  }
  const bytes = bytesFor(text, content.bytes);
  if (byteText(bytes) === byteText(content.bytes)) return { opened, edits: {}, changes: [] };
  const now = fieldsIn(ticket, bytes);
  for (const key of KEPT) {
    if (same(ticket[key], now[key])) continue;
    throw usage(
      `Cannot edit ${ticket.id}: svc writes "${key}" itself`,
      `Leave "${key}" as it is: ${JSON.stringify(ticket[key]) ?? "absent"}`,
    );
  }
  if (ticket.state === "blocked" && now.unblock === undefined) {
    throw usage(
      `Cannot edit ${ticket.id}: it is blocked, and "unblock" is missing`,
      `When it can go on: svc tickets move ${ticket.id} backlog --force`,
    );
  }
  const { state, path } = ticket;
  return {
    opened: {
      ticket: { ...now, state, path },
      content: { ...content, bytes: new Uint8Array(bytes) },
    },
    edits: {},
    changes: [...changesBetween(ticket, now), "text"],
  };
}

function planFields(opened: OpenTicket, fields: SetFields): PlannedEdit {
  const { ticket } = opened;
  const wanted = cleaned(ticket, fields);
  const changes = changesBetween(ticket, wanted);
  const edits = Object.fromEntries(
    SETTABLE.filter((name) => wanted[name] !== undefined && !same(ticket[name], wanted[name]))
      .map((name) => [name, wanted[name]]),
  ) as FrontEdits;
  const { acceptance: after } = wanted;
  return {
    ...{ opened, edits, changes },
    ...(after !== undefined && { wishes: { before: ticket.acceptance, after } }),
  };
}

/**
 * Vouches for nothing, and changes nothing that a job works on now: its prompt is written already.
 * @throws TicketChanged where the file has another version; Failure `usage`, `refused`, or as `moveTicket`
 */
export async function editTicket(
  checkout: Checkout,
  id: string,
  { version, text, fields = {}, redact, mustHaveRole, shown = (text) => text, ...writing }:
    TicketEdit,
): Promise<EditedTicket> {
  const doing = `edit ${id}`;
  await checkout.commits.mustTakeCommits(checkout.git, doing);
  const edit = async (): Promise<EditedTicket> => {
    const found = await ticketPlaces(checkout);
    const opened = await openTicket(checkout, id, found);
    const { ticket, content } = opened;
    if (version !== undefined && version !== content.sha256) {
      const present = textOf(content.bytes);
      throw new TicketChanged(opened, present && shown(present));
    }
    const plan = text === undefined ? planFields(opened, fields) : planText(opened, text, shown);
    const { changes } = plan;
    if (changes.length === 0) {
      return { ticket, version: content.sha256, changes, commit: undefined };
    }
    const { role } = { ...plan.opened.ticket, ...plan.edits };
    if (role !== ticket.role) await mustHaveRole?.(role);
    const said = text ?? Object.values(fields).flat().join("\n");
    mustHoldNoSecret(ticket, textOf(content.bytes) ?? "", said, redact);
    const after = plan.edits.depends_on ?? plan.opened.ticket.depends_on;
    if (!same(after, ticket.depends_on)) {
      await mustNotCircle(checkout, id, after as readonly string[], found);
    }
    if (plan.opened.content.bytes.length > TICKET_BYTES) {
      throw usage(`Cannot edit ${id}: it would have more than ${TICKET_BYTES} bytes`, "Shorten it");
    }
    const what = `edited: ${changes.join("; ")}`;
    const message = `chore(tickets): edit ${id}`;
    const { edits, wishes } = plan;
    const change = { edits, what, message, to: ticket.state, ...(wishes && { wishes }) };
    return { changes, ...await rewrite(checkout, plan.opened, change, writing) };
  };
  return writing.dryRun ? await edit() : await checkout.locked(doing, edit);
}
