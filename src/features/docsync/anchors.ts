/** The anchors that GitHub gives the headings of a page (as npm's github-slugger does), and those of HTML. */
import { headingIn } from "svc/features/scanner/page_facts.ts";
import { pageLines } from "svc/features/scanner/page_lines.ts";

/** Letters, marks, digits and connectors of any script stay, with hyphens and blanks. */
const DROPPED = /[^\p{Alphabetic}\p{M}\p{Nd}\p{Nl}\p{Pc}\- ]/gu;

export function slugOf(text: string): string {
  return text.toLowerCase().replaceAll(DROPPED, "").replaceAll(" ", "-");
}

/** A further heading of the same text gets a number. */
export class Anchors {
  readonly #seen = new Map<string, number>();

  add(text: string): string {
    const slug = slugOf(text);
    let anchor = slug;
    while (this.#seen.has(anchor)) {
      const count = this.#seen.get(slug)! + 1;
      this.#seen.set(slug, count);
      anchor = `${slug}-${count}`;
    }
    this.#seen.set(anchor, 0);
    return anchor;
  }

  /** An `id` or `name` of HTML. */
  name(anchor: string): void {
    if (!this.#seen.has(anchor)) this.#seen.set(anchor, 0);
  }

  has(anchor: string): boolean {
    return this.#seen.has(anchor);
  }
}

/** What a reader sees of a heading: code without backticks, links without targets, no marks of emphasis. */
export function shownText(heading: string): string {
  return heading.split(/(`[^`]+`)/).map((part, at) =>
    at % 2 === 1 ? part.slice(1, -1) : part
      .replaceAll(/!\[[^\][]*\]\([^()]*\)/g, "")
      .replaceAll(/\[([^\][]*)\](?:\([^()]*\)|\[[^\][]*\])/g, "$1")
      .replaceAll(/<[^<>]*>/g, "")
      .replaceAll(/(?<![\p{L}\p{N}_\\])(_{1,3})(?=[^\s_])([^_]*)\1(?![\p{L}\p{N}_])/gu, "$2")
      .replaceAll(/&(?:amp|lt|gt|quot|nbsp);/g, "")
  ).join("").trim();
}

const NAMED = /\b(?:name|id)\s*=\s*["']([^"']+)["']|\{#([\w-]+)\}/g;

export function anchorsIn(page: string): Anchors {
  const anchors = new Anchors();
  let above = "";
  for (const { text, code } of pageLines(page)) {
    if (code !== undefined) continue;
    const underlined = /^ {0,3}(?:=+|-+)$/.test(text) && above !== "";
    const heading = headingIn(text) ?? (underlined ? above : undefined);
    if (heading !== undefined) anchors.add(shownText(heading));
    for (const [, named, braced] of text.matchAll(NAMED)) anchors.name(named ?? braced!);
    above = text;
  }
  return anchors;
}
