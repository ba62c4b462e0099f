/** Finds the commits that a squashed one lists in its message. */
import { type Header, readHeader } from "./conventional.ts";

/** Types that a list of commits may use; `- note: …` in a body is no commit. */
const LISTED =
  /^(?:feat|feature|fix|perf|revert|refactor|docs|style|chore|tests?|build|ci|deps|security)$/;

/** GitHub and GitLab list them with a mark each. */
const ITEM = /^ {0,3}[*-][ \t]+(\S.*)$/;

/** The text that `git merge --squash` leaves: `commit <id>`, its head, and the message with four blanks before it. */
const SQUASH_HEAD = /^commit [0-9a-f]{40,64}$/;

function titlesFromGit(body: readonly string[]): string[] {
  const titles: string[] = [];
  let wanted = false;
  for (const line of body) {
    if (SQUASH_HEAD.test(line)) wanted = true;
    else if (wanted && line.startsWith("    ") && line.trim() !== "") {
      titles.push(line.trim());
      wanted = false;
    }
  }
  return titles;
}

/** In their order; only those whose titles follow the convention. */
export function squashedHeaders(body: readonly string[]): Header[] {
  const items = body.flatMap((line) => ITEM.exec(line)?.[1] ?? []);
  return [...items, ...titlesFromGit(body)]
    .map(readHeader)
    .filter((header): header is Header => header !== undefined && LISTED.test(header.type));
}
