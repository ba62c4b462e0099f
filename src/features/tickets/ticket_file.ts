/** One ticket's file: front matter that is checked, and a body that stays as it is, byte for byte. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { joinBytes } from "svc/core/bytes.ts";
import { Failure } from "svc/core/failure.ts";
import { bytesOf, byteText } from "svc/core/marked_block.ts";
import { quoted } from "svc/core/repo_path.ts";
import { readYaml } from "svc/platform/yaml.ts";
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
      remedy: `Convert it: iconv -t UTF-8 ${quoted(path)}`,
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

export const flat = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();

export function evidenceLine({ at, actor, what, commit }: Evidence): string {
  return `- ${at} · ${flat(actor)} · ${flat(what)} · ${commit?.slice(0, 12) ?? "no commit"}`;
}

/** `## Evidence`, with or without a closing sequence of `#` (CommonMark, ATX headings). */
export function isEvidenceHeading(line: string): boolean {
  const closed = withoutEnding(withoutEnding(line.trimEnd(), "#"), " \t");
  return /^##[ \t]+Evidence$/.test(closed);
}

/** Offset behind the section's last line that is not blank. */
function evidenceEnd(body: string): { at: number; empty: boolean } | undefined {
  let fence: string | undefined;
  let end: { at: number; empty: boolean } | undefined;
  let inside = false;
  for (const { 0: line, index } of body.matchAll(/[^\n]*\n?/g)) {
    const text = line.replace(/\r?\n$/, "");
    const mark = /^ {0,3}(```|~~~)/.exec(text)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
    }
    const heading = fence === undefined && /^#{1,2}[ \t]/.test(text);
    if (heading) inside = isEvidenceHeading(text);
    if (inside && text.trim() !== "") end = { at: index + text.length, empty: heading };
  }
  return end;
}

function withEvidence(body: string, line: string, eol: string): string {
  const end = evidenceEnd(body);
  if (end === undefined) {
    const gap = body === "" ? eol : body.endsWith("\n") ? eol : `${eol}${eol}`;
    return `${body}${gap}## Evidence${eol}${eol}${line}${eol}`;
  }
  return `${body.slice(0, end.at)}${eol}${end.empty ? eol : ""}${line}${body.slice(end.at)}`;
}

/** Leaves every other byte as it is. @throws Failure `environment`, `conflict` as `editFront` */
export function rewriteTicket(
  bytes: Uint8Array,
  path: string,
  { edits, evidence }: { readonly edits: FrontEdits; readonly evidence: Evidence },
): Uint8Array {
  const { start, end, body, eol, text } = frontIn(bytes, path);
  const front = new TextEncoder().encode(editFront(text, edits, { path, eol }));
  // As bytes: the body need not be UTF-8.
  const line = byteText(new TextEncoder().encode(evidenceLine(evidence)));
  const rest = bytesOf(withEvidence(byteText(bytes.subarray(body)), line, eol));
  const mark = bytes.subarray(end, body);
  // The file may end right behind its front matter, without a line end.
  const close = mark.at(-1) === 10 ? mark : new Uint8Array([...mark, ...bytesOf(eol)]);
  return joinBytes([bytes.subarray(0, start), front, close, rest]);
}
