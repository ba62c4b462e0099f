/** Adds, replaces or removes one marked block of lines in a text file that others own. */
import { Failure } from "./failure.ts";
import { quoted } from "./repo_path.ts";

export interface MarkedBlock {
  readonly label: string;
  readonly lines: readonly string[];
}

const LINE = /([^\n]*?)(\r?\n|$)/g;

export type BlockChange = "added" | "updated" | "unchanged";

/** A file's bytes as characters 0 to 255, so that one that is not UTF-8 survives the edit. */
export type ByteText = string;

export function byteText(bytes: Uint8Array): ByteText {
  const parts: string[] = [];
  // In slices, since the arguments of one call are bounded.
  for (let at = 0; at < bytes.length; at += 8192) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return parts.join("");
}

export function bytesOf(text: ByteText): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

function markers(label: string) {
  return { begin: `# >>> ${label} >>>`, end: `# <<< ${label} <<<` };
}

interface BlockSpan {
  readonly start: number;
  readonly end: number;
  readonly next: number;
  readonly eol: string;
}

function blocksIn(text: ByteText, label: string, path: string): readonly BlockSpan[] {
  const { begin, end } = markers(label);
  const blocks: BlockSpan[] = [];
  let begun: { start: number; eol: string; line: number } | undefined;
  let line = 0;
  for (const { 0: whole, 1: content = "", 2: eol = "", index } of text.matchAll(LINE)) {
    line++;
    const marker = content.trim();
    if (marker === begin) {
      if (begun !== undefined) throw unpaired(path, begun.line, begin, end);
      begun = { start: index, eol, line };
    } else if (marker === end) {
      if (begun === undefined) throw unpaired(path, line, end, begin);
      const { start, eol } = begun;
      blocks.push({ start, end: index + content.length, next: index + whole.length, eol });
      begun = undefined;
    }
  }
  if (begun !== undefined) throw unpaired(path, begun.line, begin, end);
  return blocks;
}

function unpaired(path: string, line: number, marker: string, partner: string): Failure {
  return new Failure(
    "conflict",
    `Cannot edit ${quoted(path)}: line ${line} is "${marker}" without its "${partner}"`,
    {
      remedy: `Delete line ${line}, and what is left of that block, from ${quoted(path)}; ` +
        "then run the command again",
    },
  );
}

function eolOf(text: ByteText): string {
  const lines = text.split("\n").length - 1;
  const crlf = text.split("\r\n").length - 1;
  return crlf > lines - crlf ? "\r\n" : "\n";
}

/** Without its last line end. */
function render({ label, lines }: MarkedBlock, eol: string): ByteText {
  const { begin, end } = markers(label);
  // A shell reads the CR of a CRLF as part of the last word; in a comment it does no harm.
  const hidden = (line: string) => line.startsWith("#") ? line : `${line} #`;
  const safe = eol === "\n" ? lines : lines.map(hidden);
  return byteText(new TextEncoder().encode([begin, ...safe, end].join(eol)));
}

interface BlockTarget {
  readonly path: string;
  readonly at: "end" | "below the shebang";
  /** Line ends of the block; default: those of most lines of the file. */
  readonly eol?: "\n";
}

function added(old: ByteText, block: MarkedBlock, { at, ...place }: BlockTarget): ByteText {
  const eol = place.eol ?? eolOf(old);
  const whole = render(block, eol) + eol;
  if (at === "end") return (old === "" ? "" : old + eol) + whole;
  const cut = old.startsWith("#!") ? (old.indexOf("\n") + 1 || old.length) : 0;
  return old.slice(0, cut) + whole + old.slice(cut);
}

/** Replaces the first block and removes further ones. @throws Failure `conflict` */
export function withBlock(
  text: ByteText | undefined,
  block: MarkedBlock,
  target: BlockTarget,
): { readonly text: ByteText; readonly change: BlockChange } {
  const old = text ?? "";
  const [first, ...further] = blocksIn(old, block.label, target.path);
  if (first === undefined) return { text: added(old, block, target), change: "added" };
  let edited = old.slice(0, first.start) + render(block, target.eol ?? first.eol);
  let kept = first.end;
  for (const { start, next } of further) {
    edited += old.slice(kept, start);
    kept = next;
  }
  edited += old.slice(kept);
  return { text: edited, change: edited === old ? "unchanged" : "updated" };
}

/** Gives the text from before `withBlock`, without further blocks. @param instead lines in place of the first
 * @throws Failure `conflict` */
export function withoutBlock(
  text: ByteText,
  label: string,
  { path, at }: BlockTarget,
  instead: readonly string[] = [],
): ByteText {
  let edited = "";
  let kept = 0;
  for (const [nth, { start, next, eol }] of blocksIn(text, label, path).entries()) {
    const before = text.slice(kept, start);
    // Between lines that were added behind the block and those above it, only a blank line is svc's.
    const added = next === text.length || before === eol || before.endsWith(eol + eol);
    const isOurs = at === "end" && added && before.endsWith(eol);
    edited += isOurs ? before.slice(0, -eol.length) : before;
    if (nth === 0) edited += instead.map((line) => line + eol).join("");
    kept = next;
  }
  return edited + text.slice(kept);
}
