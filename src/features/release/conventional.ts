/** Reads a commit message as Conventional Commits 1.0.0 (conventionalcommits.org) says. */
import { withoutEnding } from "svc/core/text_ends.ts";

export interface Header {
  /** In small letters. */
  readonly type: string;
  readonly scope?: string;
  readonly breaking: boolean;
  readonly subject: string;
}

/** An issue or pull request; without `remote`, of the repo itself. */
export interface IssueRef {
  /** `owner/repo`. */
  readonly remote?: string;
  readonly number: string;
}

export interface Message {
  readonly title: string;
  /** Undefined for a title of another form. */
  readonly header: Header | undefined;
  /** Lines after the title. */
  readonly body: readonly string[];
  /** Texts of `BREAKING CHANGE` footers; an empty one says no more than that it is one. */
  readonly breaks: readonly string[];
  readonly closes: readonly IssueRef[];
  readonly coAuthors: readonly { readonly name: string; readonly email: string }[];
  /** Ids of commits, whole or shortened, which this one takes back. */
  readonly reverts: readonly string[];
  /** Numbers of pull requests that it takes back, by the button of a code host. */
  readonly revertsRequests: readonly string[];
}

/** A blank follows the colon (rule 1); a type is a word in any script; a scope may hold one pair of parentheses. */
const HEADER =
  /^([\p{L}\p{N}_][\p{L}\p{N}_-]*)(?:\(([^()]*(?:\([^()]*\)[^()]*)?)\))?(!)?:[ \t]+(\S.*)$/u;

/**
 * `Revert "feat: add x"`, as git-revert(1) words it; `Reapply` is the revert of such a one. A code host that squashes
 * adds the number of the pull request.
 */
const REVERT_TITLE = /^(?:Revert|Reapply) "(.+)"( \(#\d{1,10}\))?$/;

/** Commits that git-rebase(1), --autosquash, was to fold into another one. */
const AUTOSQUASH = /^(?:fixup|squash|amend)! (.+)$/;

export function readHeader(title: string): Header | undefined {
  const folded = AUTOSQUASH.exec(title)?.[1];
  if (folded !== undefined) return { type: "wip", breaking: false, subject: folded };
  const [, type, scope, mark, subject] = HEADER.exec(title) ?? [];
  if (type !== undefined) {
    const within = scope?.trim();
    return {
      type: type.toLowerCase(),
      ...(within && { scope: within }),
      breaking: mark === "!",
      subject: subject!.trimEnd(),
    };
  }
  const [, reverted, request = ""] = REVERT_TITLE.exec(title) ?? [];
  if (reverted === undefined) return undefined;
  const back = title.startsWith("Reapply") ? title : reverted + request;
  return { type: "revert", breaking: false, subject: back };
}

/** Upper case alone (rule 15); a list of squashed commits may put a mark before it. */
const BREAKING = /^[ \t]{0,3}(?:[*-][ \t]+)?BREAKING[ -]CHANGE:(?=[ \t]|$)/;
/** `Token: value` or `Token #value` (rule 8). */
const FOOTER = /^(?:[A-Za-z][A-Za-z0-9-]*(?::[ \t]|[ \t]#)|BREAKING CHANGE:)/;

function breaksIn(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const match = BREAKING.exec(lines[at]!);
    if (match === null) continue;
    const text = [lines[at]!.slice(match[0].length)];
    while (at + 1 < lines.length) {
      const next = lines[at + 1]!;
      if (FOOTER.test(next) || BREAKING.test(next)) break;
      text.push(next);
      at++;
    }
    found.push(text.join("\n").trim());
  }
  return found;
}

/** docs.github.com, "Using keywords in issues and pull requests"; GitLab and Gitea know them too. */
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+/gi;
const REFERENCE = /(?:,?[ \t]+(?:and[ \t]+)?)?(?:([\w.-]{1,100}\/[\w.-]{1,100}))?#(\d{1,10})\b,?/y;

function closedBy(text: string): IssueRef[] {
  const refs = new Map<string, IssueRef>();
  for (const { 0: word, index } of text.matchAll(CLOSING)) {
    REFERENCE.lastIndex = index + word.length;
    for (let ref = REFERENCE.exec(text); ref !== null; ref = REFERENCE.exec(text)) {
      const [, remote, number] = ref;
      refs.set(`${remote ?? ""}#${number}`, { ...(remote && { remote }), number: number! });
    }
  }
  return [...refs.values()];
}

const CO_AUTHOR = /^Co-authored-by:([^<>]*)<([^<>]*)>/i;
const REVERTED = /\bThis reverts commits? ((?:[0-9a-f]{7,64}(?:,? (?:and )?)?)+)/g;
/** The convention's own example: `revert: …` with the footer `Refs: 676104e, a215868`. */
const REFS = /^Refs:[ \t]+([0-9a-f]{7,64}(?:,[ \t]*[0-9a-f]{7,64})*)[ \t]*$/;

function revertedBy(header: Header | undefined, body: readonly string[]): string[] {
  const named = [...body.join(" ").matchAll(REVERTED)].map(([, ids]) => ids!);
  const footers = header?.type === "revert" ? body.map((line) => REFS.exec(line)?.[1] ?? "") : [];
  return [...named, ...footers].flatMap((text) => text.match(/[0-9a-f]{7,64}/g) ?? []);
}

/** GitHub's own words below the title of such a pull request. */
const REVERTS_REQUEST = /^Reverts (?:[\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,10})[ \t]*$/;

export function readMessage(message: string): Message {
  const [first = "", ...rest] = message.split("\n");
  const title = withoutEnding(first, "\r \t");
  const header = readHeader(title);
  // Most messages are one line, and a history has many.
  if (rest.length === 0 || (rest.length === 1 && rest[0] === "")) {
    return {
      title,
      header,
      body: [],
      breaks: [],
      closes: closedBy(title),
      coAuthors: [],
      reverts: [],
      revertsRequests: [],
    };
  }
  const body = rest.map((line) => withoutEnding(line, "\r"));
  const coAuthors = body.flatMap((line) => {
    const [, name, email] = CO_AUTHOR.exec(line) ?? [];
    return name === undefined ? [] : [{ name: name.trim(), email: email!.trim() }];
  });
  return {
    title,
    header,
    body,
    breaks: breaksIn(body),
    closes: closedBy(message),
    coAuthors,
    reverts: revertedBy(header, body),
    revertsRequests: header?.type === "revert"
      ? body.flatMap((line) => REVERTS_REQUEST.exec(line)?.[1] ?? [])
      : [],
  };
}
