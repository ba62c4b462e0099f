/** One ticket's file: front matter that is checked, and a body that stays as it is, byte for byte. */
import { flat } from "svc/core/flat.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { joinBytes } from "svc/core/bytes.ts";
import { Failure } from "svc/core/failure.ts";
import { bytesOf, byteText } from "svc/core/marked_block.ts";
import { quoted } from "svc/core/repo_path.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { withWishes } from "./acceptance.ts";
import { withAnswer } from "./answers.ts";
import { bodySections, isHeadingOf } from "./body_sections.ts";
import { editFront, type FrontEdits } from "./front_edit.ts";
import { findFront, type FrontMatter, quickYaml } from "./front_matter.ts";
import { fieldsOf, TICKET_KEYS, type TicketFields, TicketFront } from "./ticket_shape.ts";

function frontIn(bytes: Uint8Array, path: string): FrontMatter & { text: string } {
  const front = findFront(bytes);
  if (typeof front === "string") {
    const why = front === "none"
      ? 'its first line is not "---"'
      : 'no line "---" ends its front matter';
    throw new Failure("environment", `Cannot read ${quoted(path)} (line 1, column 1): ${why}`, {
      remedy: `Edit ${path}: keys between two lines "---", then the text. ` +
        `Allowed keys: ${TICKET_KEYS.join(", ")}`,
    });
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
      .decode(bytes.subarray(front.start, front.end));
    return { ...front, text };
  } catch (cause) {
    throw new Failure("environment", `Cannot read ${quoted(path)}: its keys are not UTF-8`, {
      cause,
      remedy: `Convert it: iconv -t UTF-8 ${shellWord(path)}`,
    });
  }
}

/** @throws Failure `environment` naming file, line, column, key and allowed values */
export function readTicket(bytes: Uint8Array, path: string): TicketFields {
  const { text } = frontIn(bytes, path);
  const quick = TicketFront.safeParse(quickYaml(text));
  if (quick.success) return fieldsOf(quick.data);
  // The line "---" is added again, so that errors count lines as an editor does.
  return fieldsOf(
    readYaml({ text: `---\n${text}`, path, allowed: () => TICKET_KEYS }, TicketFront),
  );
}

/** Bytes that are not UTF-8 are shown as U+FFFD. */
export function ticketBody(bytes: Uint8Array): string {
  const front = findFront(bytes);
  return new TextDecoder().decode(typeof front === "string" ? bytes : bytes.subarray(front.body));
}

export interface Evidence {
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly actor: string;
  readonly what: string;
  /** Checked-out commit; undefined before the first one. */
  readonly commit: string | undefined;
}

export function evidenceLine({ at, actor, what, commit }: Evidence): string {
  return `- ${at} · ${flat(actor)} · ${flat(what)} · ${commit?.slice(0, 12) ?? "no commit"}`;
}

export const isEvidenceHeading = (line: string): boolean => isHeadingOf(line, "Evidence");

function withEvidence(body: string, line: string, eol: string): string {
  const section = bodySections(body).findLast(({ heading }) => isEvidenceHeading(heading));
  if (section === undefined) {
    const gap = body === "" ? eol : body.endsWith("\n") ? eol : `${eol}${eol}`;
    return `${body}${gap}## Evidence${eol}${eol}${line}${eol}`;
  }
  const { textFrom, to } = section;
  return `${body.slice(0, to)}${eol}${to === textFrom ? eol : ""}${line}${body.slice(to)}`;
}

/** A text as the characters 0 to 255 of its bytes: what it is put into need not be UTF-8. */
const asBytes = (text: string) => byteText(new TextEncoder().encode(text));

/** Leaves every other byte as it is. @throws Failure `environment`, `conflict` as `editFront` */
export function rewriteTicket(
  bytes: Uint8Array,
  path: string,
  { edits, evidence, answer, wishes }: {
    readonly edits: FrontEdits;
    readonly evidence: Evidence;
    /** An entry of its section. */
    readonly answer?: string | undefined;
    /** The list in the front matter, as it was and as `edits` have it. */
    readonly wishes?: { readonly before: readonly string[]; readonly after: readonly string[] };
  },
): Uint8Array {
  const { start, end, body, eol, text } = frontIn(bytes, path);
  const front = new TextEncoder().encode(editFront(text, edits, { path, eol }));
  const old = byteText(bytes.subarray(body));
  const wished = wishes === undefined ? old : withWishes(
    old,
    { before: wishes.before.map(asBytes), after: wishes.after.map(asBytes) },
    eol,
  );
  const answered = answer === undefined ? wished : withAnswer(wished, asBytes(answer), eol);
  const rest = bytesOf(withEvidence(answered, asBytes(evidenceLine(evidence)), eol));
  const mark = bytes.subarray(end, body);
  // The file may end right behind its front matter, without a line end.
  const close = mark.at(-1) === 10 ? mark : new Uint8Array([...mark, ...bytesOf(eol)]);
  return joinBytes([bytes.subarray(0, start), front, close, rest]);
}
