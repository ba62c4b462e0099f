import assert from "node:assert/strict";
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { newKey } from "svc/features/guardrails/fingerprint.ts";
import {
  type ScanSources,
  secretScan,
  type SourceFile,
} from "svc/features/guardrails/secret_scan.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

const draw = new Draw(11);
const GITHUB = `ghp_${draw.base62(36)}`;
const PASSWORD = `z${draw.base62(13)}4`;
const bytes = (text: string) => new TextEncoder().encode(text);

const sources = (...files: SourceFile[]): ScanSources => ({
  each(visit) {
    files.forEach(visit);
    return Promise.resolve();
  },
});

const REPO = sources(
  { path: "b.env", bytes: bytes(`A=1\nTOKEN=${GITHUB}\nDB_PASSWORD=${PASSWORD}\n`) },
  { path: "a.yaml", bytes: bytes(`token: ${GITHUB}\n`) },
  { path: "c.env", bytes: bytes(`TOKEN=${GITHUB} # svc:allow\n`) },
  { path: "d.png", bytes: new Uint8Array([0x89, 0x50, 0, 0]) },
  { path: "e.txt", bytes: new Uint8Array(SECRET_FILE_BYTES + 1).fill(97) },
  { path: "f", skipped: "symlink" },
  { path: "g", skipped: "submodule" },
  { path: "h", skipped: "missing" },
);

Deno.test("secretScan lists findings by place and counts all files", async () => {
  const { findings, counts, timeouts } = await secretScan(REPO, { key: newKey(), now: () => 0 });
  assert.deepEqual(
    findings.map(({ rule, path, line, column }) => [rule, path, line, column]),
    [
      ["github-pat", "a.yaml", 1, 8],
      ["github-pat", "b.env", 2, 7],
      ["generic-password", "b.env", 3, 13],
    ],
  );
  assert.equal(findings[0]?.fingerprint, findings[1]?.fingerprint);
  assert.deepEqual(timeouts, []);
  assert.deepEqual(counts.skipped, {
    binary: 1,
    too_large: 1,
    symlink: 1,
    submodule: 1,
    missing: 1,
    unreadable: 0,
  });
  assert.deepEqual(
    [counts.files, counts.findings, counts.allowed, counts.baselined, counts.timeouts],
    [3, 3, 1, 0, 0],
  );
});

Deno.test("secretScan tells no value anywhere in its result", async () => {
  const text = JSON.stringify(await secretScan(REPO, { key: newKey(), now: () => 0 }));
  for (const secret of [GITHUB, PASSWORD]) {
    for (let at = 0; at + 8 <= secret.length; at++) {
      assert.ok(!text.includes(secret.slice(at, at + 8)), "eight characters of a value");
    }
  }
});

Deno.test("secretScan leaves out what the baseline lists, by its own key", async () => {
  const key = newKey();
  const first = await secretScan(REPO, { key, now: () => 0 });
  const listed = first.findings.filter(({ path }) => path === "b.env")
    .map(({ rule, path, fingerprint }) => ({ rule, path, fingerprint }));
  const gone = { rule: "npm-access-token", path: "x", fingerprint: "0".repeat(32) };
  const again = await secretScan(REPO, {
    key: newKey(),
    baseline: { key, findings: [...listed, gone] },
    now: () => 0,
  });
  assert.deepEqual(again.findings.map(({ path }) => path), ["a.yaml"]);
  assert.deepEqual(again.known.map(({ path }) => path), ["b.env", "b.env"]);
  assert.deepEqual([again.counts.baselined, again.counts.stale], [2, 1]);
});

Deno.test("secretScan reports the rules it gave up, with the file", async () => {
  let time = 0;
  const many = sources({ path: "big.txt", bytes: bytes(`${GITHUB}\n`.repeat(500)) });
  const { timeouts, counts } = await secretScan(many, { key: newKey(), now: () => time += 60 });
  assert.ok(timeouts.some(({ rule, path }) => rule === "github-pat" && path === "big.txt"));
  assert.equal(counts.timeouts, timeouts.length);
});
