/** Where a secret scan gets its files: the work tree, the index, what a push would send. */
import assert from "node:assert/strict";
import { newKey } from "svc/features/guardrails/fingerprint.ts";
import {
  HEADERS,
  MESSAGE,
  outgoing,
  pushedTips,
  staged,
  workTree,
} from "svc/features/guardrails/scan_sources.ts";
import { type ScanSources, secretScan } from "svc/features/guardrails/secret_scan.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";

const SECRET = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");

Deno.test("outgoing reads annotated tags, authors and messages of what the remote lacks", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.git("update-ref", "refs/remotes/origin/main", "HEAD");
  await repo.commit("feat: one", { b: "2\n" });
  const head = (await repo.git("rev-parse", "HEAD")).trim();
  const raw = `${repo.path}/.git/raw-tag`;
  const text = `object ${head}\ntype commit\ntag v1\n` +
    `tagger ${SECRET} <a@example.org> 1700000000 +0000\n\none ${SECRET}\n`;
  await Deno.writeTextFile(raw, text);
  const tag = (await repo.git("hash-object", "-t", "tag", "-w", raw)).trim();
  using checkout = await checkoutAt(repo.path);
  const scan = (tips: readonly string[]) =>
    secretScan(outgoing(checkout.git, tips, "origin"), { key: newKey(), now: () => 0 });
  const { findings, counts } = await scan([tag]);
  assert.deepEqual(findings.map(({ rule, path }) => [rule, path]), [
    ["github-pat", MESSAGE],
    ["github-pat", HEADERS],
  ]);
  assert.equal(counts.files, 5); // a tag and a commit, each with headers and message, and a file
  assert.deepEqual((await scan([])).counts.files, 0);
});

Deno.test("what is pushed may be named by words with blanks", () => {
  const [one, two, none] = ["1", "2", "0"].map((digit) => digit.repeat(40));
  const lines = [
    `HEAD@{1 day ago} ${one} refs/heads/main ${none}`,
    `refs/heads/a ${two} refs/heads/a ${one}`,
    `(delete) ${none} refs/heads/b ${one}`,
    "",
  ];
  assert.deepEqual(pushedTips(lines.join("\n")), [one, two]);
});

Deno.test("each source tells how many files there are before it gives the first", async () => {
  await using repo = await tempRepo({ files: { a: "1\n", b: "2\n" }, commit: true });
  await repo.git("update-ref", "refs/remotes/origin/main", "HEAD");
  await repo.commit("feat: one", { c: "3\n" });
  await Deno.writeTextFile(`${repo.path}/d`, "4\n");
  await repo.git("add", "d");
  const head = (await repo.git("rev-parse", "HEAD")).trim();
  using checkout = await checkoutAt(repo.path);
  const { signal } = new AbortController();
  const counted = async (sources: ScanSources) => {
    const told: (number | string)[] = [];
    await sources.each(() => void told.push("file"), (count) => void told.push(count));
    return told;
  };
  const tree = workTree(checkout.git, { readTree, signal, progress() {} });
  assert.deepEqual(await counted(tree), [4, ...Array(4).fill("file")]);
  assert.deepEqual(await counted(staged(checkout.git)), [1, "file"]);
  // A commit's headers, its message, its file.
  assert.deepEqual(await counted(outgoing(checkout.git, [head], "origin")), [
    3,
    ...Array(3).fill("file"),
  ]);
});
