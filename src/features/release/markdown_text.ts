/** Puts the words of a commit into a line of Markdown, where they mean themselves. */
import { oneLine } from "svc/core/plain_text.ts";
import { shortened } from "svc/core/shortened.ts";

/** Longer ones are no summary. */
const TEXT_CHARS = 400;

/** Where issues of the repo, and of others at its host, have their pages. */
export type IssueUrl = (number: string, remote?: string) => string | undefined;

const ISSUE = /(?<![\w/&#])([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,10})\b/g;

/** Code is between runs of equally many backticks; others are plain (CommonMark 0.31, 6.1). */
const CODE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g;

function plain(text: string, issueUrl: IssueUrl): string {
  return text
    .replaceAll(
      /[\\*<]|&(?=#?\w+;)|\[(?=[^\][]*\][([:])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu,
      "\\$&",
    )
    .replaceAll(ISSUE, (whole, remote: string | undefined, number: string) => {
      const url = issueUrl(number, remote);
      return url === undefined ? whole : `[${whole}](${url})`;
    });
}

/** One line; code between backticks stays, numbers of issues become links. */
export function inlineText(text: string, issueUrl: IssueUrl): string {
  const line = shortened(oneLine(text), TEXT_CHARS);
  let written = "";
  let from = 0;
  for (const { 0: code, index } of line.matchAll(CODE)) {
    written += plain(line.slice(from, index), issueUrl) + code;
    from = index + code.length;
  }
  return written + plain(line.slice(from), issueUrl);
}
