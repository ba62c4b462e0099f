/** Renders the Markdown of tickets as elements; nothing becomes HTML or a link. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

interface MarkdownBlock {
  readonly kind: "heading" | "list" | "code" | "text";
  readonly lines: readonly string[];
  /** A list that the part before begins. */
  readonly goesOn?: boolean;
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const NUMBER = /^\s*(\d+[.)])\s+/;
const FENCE = /^\s*(```|~~~)/;
/** How svc writes a heading or a fence of a text into a ticket, which has headings of its own. */
const QUOTED = /^(\s*)\\(?=#|```|~~~)/;

function blocksOf(text: string): MarkdownBlock[] {
  const blocks: { kind: MarkdownBlock["kind"]; lines: string[] }[] = [];
  let open: { kind: MarkdownBlock["kind"]; lines: string[] } | undefined;
  const add = (kind: MarkdownBlock["kind"], line: string) => {
    if (open?.kind !== kind) blocks.push(open = { kind, lines: [] });
    open.lines.push(line);
  };
  let fence: string | undefined;
  for (const line of text.trim().split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence ?? mark) === mark) {
      fence = fence === undefined ? mark : undefined;
      open = undefined;
    } else if (fence !== undefined) add("code", line);
    else if (line.trim() === "") open = undefined;
    else if (/^#{1,6}\s/.test(line)) {
      add("heading", line.replace(/^#+\s+/, ""));
      open = undefined;
    } else if (ITEM.test(line)) add("list", line);
    else if (open?.kind === "list") open.lines.push(`${open.lines.pop()} ${line.trim()}`);
    else add("text", line.replace(QUOTED, "$1"));
  }
  return blocks;
}

function words(line: string): ComponentChildren {
  return line.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, nth) =>
    part.length > 2 && part.startsWith("`")
      ? <code key={nth}>{part.slice(1, -1)}</code>
      : part.length > 4 && part.startsWith("**")
      ? <strong key={nth}>{part.slice(2, -2)}</strong>
      : part
  );
}

/** A number stays: the text may speak of it. */
function Item({ of }: { readonly of: string }) {
  const number = NUMBER.exec(of)?.[1];
  const words = item(of.replace(ITEM, ""));
  return number === undefined ? <li>{words}</li> : <li class="numbered">{number} {words}</li>;
}

function item(line: string) {
  const box = line.match(/^\[([ xX])\]\s+/);
  if (box === null) return words(line);
  return <>{box[1] === " " ? "☐ " : "☑ "}{words(line.slice(box[0].length))}</>;
}

/** Lines that are laid out together, where a text is long: those out of sight wait until they are near. */
const A_PART = 100;

/** Blocks of about so many lines; a longer list is several, each but the first at the beginning of a part. */
function partsOf(blocks: readonly MarkdownBlock[]): readonly (readonly MarkdownBlock[])[] {
  const parts: MarkdownBlock[][] = [[]];
  let lines = 0;
  const put = (block: MarkdownBlock) => {
    if (lines >= A_PART) {
      parts.push([]);
      lines = 0;
    }
    parts.at(-1)!.push(block);
    lines += block.lines.length;
  };
  for (const block of blocks) {
    if (block.kind !== "list") put(block);
    else {
      for (let from = 0; from < block.lines.length; from += A_PART) {
        put({ ...block, lines: block.lines.slice(from, from + A_PART), goesOn: from > 0 });
      }
    }
  }
  return parts;
}

function Block({ of: { kind, lines } }: { readonly of: MarkdownBlock }) {
  if (kind === "heading") return <h3>{words(lines[0]!)}</h3>;
  if (kind === "code") return <pre class="command">{lines.join("\n")}</pre>;
  if (kind === "text") return <p>{words(lines.join("\n"))}</p>;
  return <ul>{lines.map((line, at) => <Item key={at} of={line} />)}</ul>;
}

function Blocks({ of }: { readonly of: string }) {
  const [first = [], ...more] = partsOf(blocksOf(of));
  const drawn = (part: readonly MarkdownBlock[]) =>
    part.map((block, nth) => <Block key={nth} of={block} />);
  if (more.length === 0) return <div class="prose">{drawn(first)}</div>;
  return (
    <div class="prose parted">
      {[first, ...more].map((part, nth) => (
        <div key={nth} class={part[0]?.goesOn === true ? "prose-part goes-on" : "prose-part"}>
          {drawn(part)}
        </div>
      ))}
    </div>
  );
}

/** The page is drawn again at each event, and the same text is not. */
export function Markdown({ of }: { readonly of: string }) {
  return useMemo(() => <Blocks of={of} />, [of]);
}
