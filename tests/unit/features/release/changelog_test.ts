/** Changelogs of every form keep each byte that is not of an entry that svc writes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { bytesOf, byteText } from "svc/core/marked_block.ts";
import { parseSemver } from "svc/core/semver.ts";
import { readChangelog, versionsOf, withEntries } from "svc/features/release/changelog.ts";
import { entryText, isOwnEntry, NO_LINKS } from "svc/features/release/entry.ts";
import { verifies } from "tests/kit/verifies.ts";

const bytes = (text: string) => byteText(new TextEncoder().encode(text));
const text = (bytes: string) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(bytes));
const entry = (version: string) => ({
  version: parseSemver(version)!,
  text: `## ${version} - 2026-01-02\n\n- it\n`,
});

Deno.test("versions are found in the headings of other tools, and nowhere else", () => {
  const found = (page: string) => versionsOf(readChangelog(bytes(page)));
  // keepachangelog.com; conventional-changelog 3 to 8; git-cliff; towncrier; release-please.
  assert.deepEqual(found("## [Unreleased]\n\n## [1.2.0] - 2020-01-02\n\n## [1.1.0]\n"), [
    "1.2.0",
    "1.1.0",
  ]);
  assert.deepEqual(
    found('<a name="1.0.1"></a>\n## [1.0.1](https://x/y) (2020-01-02)\n# 1.0.0 (2020-01-01)\n'),
    ["1.0.1", "1.0.0"],
  );
  assert.deepEqual(found("v2.0.0 (2020)\n=====\n\n1.0.0-rc.1\n----------\n"), [
    "2.0.0",
    "1.0.0-rc.1",
  ]);
  assert.deepEqual(
    found("### Version 3.1.4\n\n```\n## 1.0.0\n```\n\n    ## 2.0.0\n1.2.3 is out\n"),
    ["3.1.4"],
  );
  // qs, and others by hand.
  assert.deepEqual(found("## **6.15.0**\n- [New] x\n\n## **v6.14.2** (2020)\n"), [
    "6.15.0",
    "6.14.2",
  ]);
});

Deno.test("a new entry comes before older ones also where no heading names a version that is known", () => {
  const put = (page: string) => text(withEntries(bytes(page), [entry("2.0.0")]));
  const log = "# Node.js 10 ChangeLog\n\nAll of them.\n\n";
  const old = '<a id="10.24.1"></a>\n## 2021-04-06, Version 10.24.1\n\n### Notable\n\n- it\n';
  const own = "## 2.0.0 - 2026-01-02\n\n- it\n\n";
  assert.equal(put(log + old), log + own + old);
  const unreleased = "## [Unreleased]\n\n- new\n\n";
  assert.equal(put(log + unreleased + old), log + unreleased + own + old);
  const fenced = "```md\n## Version one\n```\n\n";
  assert.equal(put(log + fenced + old), log + fenced + own + old);
});

verifies(
  ["4.5:release-notes:prepends-changelog"],
  "a new entry comes on top, below what is not released yet, with the file's own line ends",
  () => {
    const put = (page: string) => text(withEntries(bytes(page), [entry("2.0.0")]));
    assert.equal(put("# Changelog\n"), "# Changelog\n\n## 2.0.0 - 2026-01-02\n\n- it\n");
    assert.equal(put(""), "## 2.0.0 - 2026-01-02\n\n- it\n");
    assert.equal(put("# Log"), "# Log\n\n## 2.0.0 - 2026-01-02\n\n- it\n");
    assert.equal(
      put(
        "\ufeff# Log\r\n\r\n## Unreleased\r\n\r\n- new\r\n\r\n## 1.0.0\r\n- old\r\n\r\n[1.0.0]: x\r\n",
      ),
      "\ufeff# Log\r\n\r\n## Unreleased\r\n\r\n- new\r\n\r\n## 2.0.0 - 2026-01-02\r\n\r\n- it\r\n\r\n" +
        "## 1.0.0\r\n- old\r\n\r\n[1.0.0]: x\r\n",
    );
    assert.equal(
      put("# Log\n\n## Unreleased\n\n- new\n\n[x]: y\n"),
      "# Log\n\n## Unreleased\n\n- new\n\n## 2.0.0 - 2026-01-02\n\n- it\n\n[x]: y\n",
    );
  },
);

Deno.test("an entry that is written anew keeps the empty lines below it, and links their place", () => {
  const put = (page: string) => text(withEntries(bytes(page), [entry("2.0.0"), entry("0.5.0")]));
  const own = "## 2.0.0 - 2026-01-02\n\n- it\n";
  const links = "[2.0.0]: x\n\n[1.0.0]: y\n\n";
  assert.equal(
    put(`# Log\n\n## 2.0.0\n\n- old\n\n\n\n## 1.0.0\n- first\n\n${links}`),
    `# Log\n\n${own}\n\n\n## 1.0.0\n- first\n\n${own.replace("2.0.0", "0.5.0")}\n${links}`,
  );
});

Deno.test("a section has two thousand changes at most, and says how many more there are", async () => {
  const notes = async (many: number) =>
    await entryText({
      ...{ version: "1.0.0", date: "2026-01-02", links: NO_LINKS },
      changes: Array.from({ length: many }, (_, at) => ({
        ...{ type: "feat", subject: `part ${at}`, breaking: false, breaks: [], closes: [] },
        commits: ["0123456789abcdef"],
      })),
    });
  assert.match(await notes(2000), /\n- part 1999 \(0123456\)\n$/);
  assert.match(await notes(2002), /\n- part 1999 \(0123456\)\n- and 2 more\n$/);
});

Deno.test("every byte around new entries stays, also where it is no text", () => {
  const piece = fc.constantFrom(
    ...[
      "# Log\n",
      "## 1.0.0\n",
      "## [0.9.0] - 2020-01-02\r\n",
      "- it\n",
      "\n",
      "\r\n",
      "```\n## 9.9.9\n```\n",
    ],
    ...["## Unreleased\n", "[1.0.0]: x\n", "\xff\xfe", "0.1.0\n-----\n", "text", "\xef\xbb\xbf"],
  );
  fc.assert(
    fc.property(fc.array(piece), fc.subarray(["3.0.0", "0.9.5", "0.0.1"]), (pieces, versions) => {
      const page = pieces.join("");
      const edited = withEntries(page, versions.map(entry));
      let rest = edited;
      for (const version of versions) {
        const { text } = entry(version);
        const written = [text, text.replaceAll("\n", "\r\n")].find((one) => rest.includes(one))!;
        assert.equal(rest.split(written).length, 2, version);
        rest = rest.replace(written, "");
      }
      // Only empty lines came with the entries.
      const without = (text: string) => text.replaceAll(/[\r\n]/g, "");
      assert.equal(without(rest), without(page));
      let at = 0;
      for (const char of page) at = edited.indexOf(char, at) + 1;
      assert.ok(page === "" || at > 0);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("svc knows its own entry, also formatted anew, and not one that a person changed", async () => {
  const written = await entryText({
    version: "1.0.0",
    date: "2026-01-02",
    links: NO_LINKS,
    changes: [{
      type: "feat",
      subject: "a long line of words that a formatter may break somewhere",
      breaking: false,
      breaks: [],
      closes: [],
      commits: ["0123456789abcdef"],
    }],
  });
  assert.ok(await isOwnEntry(written));
  assert.ok(await isOwnEntry(written.replaceAll("\n", "\r\n")));
  assert.ok(await isOwnEntry(written.replace("words that", "words\n  that") + "\n\n"));
  for (
    const [from, to] of [["long", "short"], ["- a", "- Hello: a"], ["01-02", "01-03"]] as const
  ) {
    assert.ok(!await isOwnEntry(written.replace(from, to)), from);
  }
  assert.ok(!await isOwnEntry(written.replace(/^<!--.*\n/m, "")));
});
