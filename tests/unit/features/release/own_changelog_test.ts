/** This project's own changelog is what `svc release notes` wrote. */
import assert from "node:assert/strict";
import { byteText } from "svc/core/marked_block.ts";
import { VERSION } from "svc/core/version.ts";
import { semverText } from "svc/core/semver.ts";
import { entryBytes, readChangelog } from "svc/features/release/changelog.ts";
import { isOwnEntry } from "svc/features/release/entry.ts";
import { repoRoot } from "tests/kit/script.ts";

Deno.test("the newest entry of this project's changelog is of its version, as svc wrote it", async () => {
  const changelog = readChangelog(byteText(await Deno.readFile(`${repoRoot}CHANGELOG.md`)));
  const [newest] = changelog.entries;
  assert.equal(newest && semverText(newest.version), VERSION);
  assert.ok(await isOwnEntry(entryBytes(changelog, newest!)));
});
