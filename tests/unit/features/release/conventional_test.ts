/** Messages, read beside npm's conventional-commits-parser 7.1.4 with its own preset; each difference has a reason. */
import assert from "node:assert/strict";
import createPreset from "conventional-changelog-conventionalcommits";
import { CommitParser, type ParserOptions } from "conventional-commits-parser";
import fc from "fast-check";
import { readHeader, readMessage } from "svc/features/release/conventional.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { repoRoot } from "tests/kit/script.ts";
import { verifies } from "tests/kit/verifies.ts";

const { parser } = await createPreset() as { readonly parser: ParserOptions };
const npm = new CommitParser(parser);

/** What both tell of a message, in one form. */
function mine(message: string) {
  const { header, breaks } = readMessage(message);
  return {
    type: header?.type ?? null,
    scope: header?.scope ?? null,
    subject: header?.subject ?? null,
    breaking: header?.breaking === true || breaks.length > 0,
  };
}

function theirs(message: string) {
  const { type, scope, subject, notes } = npm.parse(message);
  return {
    type: type ?? null,
    scope: scope ?? null,
    subject: subject ?? null,
    breaking: notes.length > 0,
  };
}

/** Why the two read a message differently; undefined where nothing explains it. */
function reasonFor(message: string): string | undefined {
  const [title = "", ...body] = message.split("\n");
  const header = readHeader(title);
  const [, type = "", scope] = /^(\w*)(?:\((.*)\))?!?: /.exec(title) ?? [];
  if (/^(?:Revert|Reapply) "/.test(title)) return "git's own title of a revert has the type revert";
  if (/^(?:fixup|squash|amend)! /.test(title)) return "a commit to be folded into another is work";
  if (type !== type.toLowerCase()) return "types are read without case (rule 15)";
  if (/^[\p{L}\p{N}_-]*[^\w\s(!:][\p{L}\p{N}_-]*(?:\(.*\))?!?: /u.test(title)) {
    return "a type is a word in any script";
  }
  if (/^(?:\(|!?:)/.test(title)) return "a type is required (rule 1)";
  if (scope !== undefined && (scope.trim() !== scope || /[()]/.test(scope))) {
    return "a scope is one pair of parentheses, without blanks around it";
  }
  if (/:[ \t]{2,}|:\t/.test(title)) return "blanks after the colon are no part of the subject";
  if (header === undefined && /: *$/.test(title)) return "a description is required (rule 5)";
  if (title !== title.trim()) return "blanks at the end of the title are no part of it";
  if (body.some((line) => /^(?:\* +)?breaking[ -]change:/i.test(line) && !/BREAKING/.test(line))) {
    return "BREAKING CHANGE is in capitals (rule 15)";
  }
  if (body.some((line) => /^(?:\* +)?BREAKING[ -]CHANGE:\S/.test(line))) {
    return "a blank follows the colon (rule 8)";
  }
  if (body.some((line) => /^(?: {1,3}|\s*- +|\t)(?:\* +)?BREAKING[ -]CHANGE:/.test(line))) {
    return "a list may put blanks or a hyphen before BREAKING CHANGE";
  }
  return undefined;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function compared(message: string): "same" | string {
  const [one, other] = [mine(message), theirs(message)];
  if (same(one, other)) return "same";
  const reason = reasonFor(message);
  assert.ok(reason, `${JSON.stringify(message)}\n${JSON.stringify(one)}\n${JSON.stringify(other)}`);
  return reason;
}

const word = fc.constantFrom("feat", "fix", "Fix", "größe", "docs-x", "revert", "機能", "");
const scope = fc.constantFrom(
  "",
  "(parser)",
  "(a b)",
  "(größe)",
  "()",
  "(a(b))",
  "( x )",
  "(a)(b)",
  "(@x/y)",
);
const colon = fc.constantFrom(": ", ": ", ":", ":  ", " : ");
const subjects = fc.constantFrom("add x", "drop `y` (#12)", "ünï: cödé", "", "x ", "a!: b", "字を");
const title = fc.oneof(
  fc.tuple(word, scope, fc.constantFrom("", "!"), colon, subjects).map((parts) => parts.join("")),
  fc.constantFrom(
    'Revert "feat: x"',
    'Reapply "fix(a): y"',
    "Merge branch 'x'",
    "Update README",
    "fixup! feat: x",
  ),
);
const line = fc.constantFrom(
  ...["", "Some words.", "* feat: listed", "  indented", "- note: this", "Closes #12"],
  ...[
    "BREAKING CHANGE: it went",
    "BREAKING-CHANGE: it went",
    "breaking change: no",
    "BREAKING CHANGE:",
  ],
  ...[
    "BREAKING CHANGE:x",
    "* BREAKING CHANGE: listed",
    "- BREAKING CHANGE: listed",
    "Refs: 676104e",
  ],
  ...[" BREAKING CHANGE: in", "BREAKING CHANGE", "Co-authored-by: Ada <ada@example.org>", "-----"],
);
const messages = fc.tuple(title, fc.array(line, { maxLength: 6 }))
  .map(([title, lines]) => [title, ...lines].join("\n"))
  .filter((message) => message.trim() !== "" && !message.startsWith("\n"));

verifies(
  ["4.5:release-notes:from-semantic-commits"],
  "20,000 generated messages are read as npm's parser reads them, or differ for a stated reason",
  () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(messages, (message) => {
        const outcome = compared(message);
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(seen.get("same")! > 5_000, JSON.stringify([...seen]));
  },
);

Deno.test("this project's own history is read as npm's parser reads it", async () => {
  const { code, stdout } = await plainGit(repoRoot, ["log", "-z", "--format=%B"]);
  // A copy without its history has none to compare.
  if (code !== 0) return;
  const outcomes = stdout.split("\0").map((message) => message.trimEnd())
    .filter((message) => message !== "").map(compared);
  const odd = outcomes.filter((outcome) => outcome !== "same");
  assert.ok(odd.length * 20 <= outcomes.length, `${odd.length} of ${outcomes.length}: ${odd[0]}`);
});

Deno.test("the examples of the specification are read as it explains them", () => {
  // conventionalcommits.org/en/v1.0.0, "Examples".
  const breaking = readMessage(
    "feat: allow provided config object to extend other configs\n\n" +
      "BREAKING CHANGE: `extends` key in config file is now used for extending other config files",
  );
  assert.equal(breaking.breaks.length, 1);
  assert.deepEqual(
    readMessage("chore!: drop support for Node 6\n\nBREAKING CHANGE: uses its JS").header,
    {
      type: "chore",
      breaking: true,
      subject: "drop support for Node 6",
    },
  );
  assert.equal(readMessage("feat(api)!: send an email").header?.scope, "api");
  assert.deepEqual(
    readMessage("revert: let us never again speak of the noodle incident\n\nRefs: 676104e, a215868")
      .reverts,
    ["676104e", "a215868"],
  );
});

Deno.test("a breaking text has all its lines and ends at the next footer", () => {
  const { breaks, closes, coAuthors } = readMessage(
    "fix: x\r\n\r\nwords\r\n\r\nBREAKING CHANGE: first\r\nsecond\r\n\r\nthird\r\nReviewed-by: Z\r\n" +
      "Closes #4, ada/x#5 and #6\r\nfixes: #7\r\nCo-authored-by: Ada Łö <ada@example.org>\r\n",
  );
  assert.deepEqual(breaks, ["first\nsecond\n\nthird"]);
  assert.deepEqual(closes, [
    { number: "4" },
    { remote: "ada/x", number: "5" },
    { number: "6" },
    { number: "7" },
  ]);
  assert.deepEqual(coAuthors, [{ name: "Ada Łö", email: "ada@example.org" }]);
});
