/** Finds the block of the quality score that people write, so that it stays byte for byte. */
import { Failure } from "svc/core/failure.ts";
import type { ByteText } from "svc/core/marked_block.ts";
import { quoted } from "svc/core/repo_path.ts";

export const NOTES_BEGIN = "<!-- manual notes: begin (kept as they are) -->";
export const NOTES_END = "<!-- manual notes: end -->";

export const NO_NOTES: ByteText = "\nWrite here what the figures do not say.\n\n";

const LINE = /([^\n]*?)(\r?\n|$)/g;

function fault(path: string, what: string, remedy: string): Failure {
  return new Failure("conflict", `Cannot write ${quoted(path)}: ${what}`, { remedy });
}

/** @throws Failure `conflict` without exactly one pair of markers: what has to stay is not clear */
export function notesIn(text: ByteText, path: string): ByteText {
  const begins: { line: number; next: number }[] = [];
  const ends: { line: number; start: number }[] = [];
  let line = 0;
  for (const { 0: whole, 1: content = "", index } of text.matchAll(LINE)) {
    line++;
    const marker = content.trim();
    if (marker === NOTES_BEGIN) begins.push({ line, next: index + whole.length });
    if (marker === NOTES_END) ends.push({ line, start: index });
  }
  const [begin, again] = begins;
  const [end, more] = ends;
  if (begin === undefined && end === undefined) {
    throw fault(
      path,
      "it has no block of manual notes, so it is not one of svc's",
      `Move it away, or put "${NOTES_BEGIN}" above and "${NOTES_END}" below what is to stay`,
    );
  }
  const twice = again ?? more;
  if (twice !== undefined) {
    throw fault(
      path,
      `line ${twice.line} is a second marker of the manual notes`,
      `Keep one "${NOTES_BEGIN}" and one "${NOTES_END}"; then run the command again`,
    );
  }
  if (begin === undefined || end === undefined || end.start < begin.next) {
    const at = begin?.line ?? end!.line;
    throw fault(
      path,
      `the marker in line ${at} has no partner`,
      `Put "${NOTES_BEGIN}" above and "${NOTES_END}" below what is to stay, each on its own line`,
    );
  }
  return text.slice(begin.next, end.start);
}
