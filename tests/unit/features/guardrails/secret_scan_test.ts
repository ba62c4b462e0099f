import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { newKey } from "svc/features/guardrails/fingerprint.ts";
import {
  type ScanSources,
  secretScan,
  type SourceFile,
} from "svc/features/guardrails/secret_scan.ts";
import type { KnownFinding } from "svc/features/guardrails/baseline.ts";
import { SECRET_RULE_MS } from "svc/features/guardrails/scan_budget.ts";
import { GAVE_UP } from "svc/features/guardrails/scan_file.ts";
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

const SLOW = bytes(`${GITHUB}\n`.repeat(2000));

/** Each look at the clock finds that 60 ms of work are over. */
function slowly(): () => number {
  let time = 0;
  return () => time += 60;
}

Deno.test("secretScan reports the rules it gave up, with the file, as one finding", async () => {
  const many = sources({ path: "big.txt", bytes: SLOW });
  const { findings, timeouts, counts } = await secretScan(many, { key: newKey(), now: slowly() });
  assert.ok(timeouts.some(({ rule, path }) => rule === "github-pat" && path === "big.txt"));
  assert.equal(counts.timeouts, timeouts.length);
  const gaveUp = findings.filter(({ rule }) => rule === GAVE_UP);
  assert.deepEqual(gaveUp.map(({ path, line }) => [path, line]), [["big.txt", 1]]);
  assert.match(gaveUp[0]!.redacted, /^not searched for .*github-pat/);
});

Deno.test("secretScan takes a given-up file that the baseline lists, until its bytes change", async () => {
  const key = newKey();
  const scan = (content: Uint8Array, findings: readonly KnownFinding[]) =>
    secretScan(sources({ path: "big.txt", bytes: content }), {
      key,
      baseline: { key, findings },
      now: slowly(),
    });
  const first = await scan(SLOW, []);
  const accepted = first.findings.map(({ rule, path, fingerprint }) => ({
    rule,
    path,
    fingerprint,
  }));
  const again = await scan(SLOW, accepted);
  assert.deepEqual([again.findings, again.timeouts], [[], []]);
  const changed = await scan(bytes(`${new TextDecoder().decode(SLOW)}\n`), accepted);
  assert.deepEqual(changed.findings.map(({ rule }) => rule), [GAVE_UP]);
});

Deno.test("secretScan gives large data time by its size", async () => {
  const rows = Array.from(
    { length: 60_000 },
    (_, at) => `{"key": "item-${at}", "token": "t${at}"},`,
  );
  rows.splice(30_000, 0, `{"token": "${GITHUB}"},`);
  const data = bytes(rows.join("\n"));
  assert.ok(data.length > 2e6);
  // A thousand looks at the clock, each after 1 ms of work: more than a small file may take.
  let time = 0;
  const { findings } = await secretScan(sources({ path: "data.json", bytes: data }), {
    key: newKey(),
    now: () => time += 1,
  });
  assert.ok(time > SECRET_RULE_MS * 10);
  assert.deepEqual(findings.map(({ rule, line }) => [rule, line]), [["github-pat", 30_001]]);
});

Deno.test("secretScan finds a secret in a file's name, and tells the name without it", async () => {
  const { findings } = await secretScan(
    sources(
      { path: `backup/${GITHUB}.txt`, bytes: bytes(`TOKEN=${GITHUB} # svc:allow\n`) },
      { path: `links/password=${PASSWORD}`, skipped: "symlink" },
    ),
    { key: newKey(), now: () => 0 },
  );
  assert.deepEqual(findings.map(({ rule, path, line }) => [rule, path, line]), [
    ["github-pat", "backup/[github-pat].txt", 1],
    ["generic-password", "links/password=[generic-password]", 1],
  ]);
});

Deno.test("secretScan finds secrets after NULs, in wide strings, UTF-32, gzip and base64 of it", async () => {
  const text = `DB_PASSWORD=${PASSWORD}\nTOKEN=${GITHUB}\n`;
  const wide = (size: number, big: boolean) =>
    Uint8Array.from([...text].flatMap((char) => {
      const unit = Array.from({ length: size }, () => 0);
      unit[big ? size - 1 : 0] = char.charCodeAt(0);
      return unit;
    }));
  const noise = Uint8Array.from({ length: 900 }, (_, at) => 128 + at * 7 % 120);
  const joined = (...parts: readonly Uint8Array[]) =>
    Uint8Array.from(parts.flatMap((part) => [...part]));
  const both = ["generic-password", "github-pat"];
  const shape = ["github-pat"];
  const files: readonly (readonly [string, Uint8Array, readonly string[]])[] = [
    ["nul.env", joined(new Uint8Array(1), bytes(text)), shape],
    ["late.env", joined(bytes("x\n".repeat(9000)), new Uint8Array(1), bytes(text)), both],
    ["wide.dll", joined(noise, wide(2, false)), shape],
    ["big.dll", joined(noise, wide(2, true)), shape],
    ["u32le", wide(4, false), both],
    ["u32be", wide(4, true), both],
    ["marked", joined(new Uint8Array([0xff, 0xfe, 0, 0]), wide(4, false)), both],
    ["data.gz", gzipSync(text), both],
    ["data.txt", bytes(`blob: ${gzipSync(text).toString("base64")}\n`), shape],
    ["power.ps1", bytes(`powershell -e ${btoa(String.fromCharCode(...wide(2, false)))}`), shape],
  ];
  for (const [path, content, expected] of files) {
    const { findings } = await secretScan(sources({ path, bytes: content }), {
      key: newKey(),
      now: () => 0,
    });
    const rules = [...new Set(findings.map(({ rule }) => rule))].sort();
    assert.ok(expected.every((rule) => rules.includes(rule)), `${path}: ${rules}`);
  }
});

Deno.test("secretScan opens no gzip that unfolds to more than a file may have", async () => {
  const bomb = gzipSync(new Uint8Array(SECRET_FILE_BYTES * 4));
  const files = sources({ path: "bomb.gz", bytes: bomb }, {
    path: "bomb.txt",
    bytes: bytes(`blob: ${bomb.toString("base64")}\n`),
  });
  const { counts, findings } = await secretScan(files, { key: newKey(), now: () => 0 });
  assert.equal(counts.skipped.too_large, 1);
  assert.deepEqual(findings.map(({ rule, path }) => [rule, path]), [[GAVE_UP, "bomb.txt"]]);
});
