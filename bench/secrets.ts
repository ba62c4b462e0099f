/**
 * The secret scan's figures: recall and precision on two corpora by different means, speed on a big
 * tree, the slowest rule on hostile lines, 50 staged files, ten npm packages against a reviewed list,
 * secretlint's recommended preset on the same corpus and files, and the whole command on many small
 * files beside `git grep` (from source, or the build that `SVC_BIN` names).
 *
 *   deno run -A --no-lock --node-modules-dir=none bench/secrets.ts [part ...] [--seed=N]
 *
 * Parts: quality vectors hard speed small hostile staged packages others paired (all of them when none is named). Big
 * data goes to bench/.cache, which git ignores. On a shared machine compare ratios, not seconds.
 */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { newKey } from "svc/features/guardrails/fingerprint.ts";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import { scanFile } from "svc/features/guardrails/scan_file.ts";
import { scanText } from "svc/features/guardrails/scan_text.ts";
import { secretScan, type SecretScanResult } from "svc/features/guardrails/secret_scan.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { positives } from "./secret_corpus.ts";
import { otherPositives } from "./secret_corpus_other.ts";
import { Dice } from "./secret_dice.ts";
import { hardOnes } from "./secret_hard.ts";
import { slowest } from "./secret_hostile.ts";
import { innocents } from "./secret_negatives.ts";
import { secretlint } from "./secret_paired.ts";
import { REVIEWED } from "./secret_reviewed.ts";
import {
  emptyScore,
  percents,
  type Scanner,
  type Score,
  scoreNegatives,
  scorePositives,
} from "./secret_score.ts";
import { smallFiles } from "./secret_small.ts";
import { stagedMs } from "./secret_staged.ts";
import { vectors } from "./secret_vectors.ts";
import { installPackages, OTHER_PACKAGES, pathsBelow, writeTree } from "./secret_tree.ts";

const here = decodeURIComponent(new URL(".", import.meta.url).pathname);
const cache = `${here}.cache`;
const parts = Deno.args.filter((arg) => !arg.startsWith("--"));
const seed = Number(Deno.args.find((arg) => arg.startsWith("--seed="))?.slice(7) ?? 1);
const wanted = (part: string) => parts.length === 0 || parts.includes(part);

const svc: Scanner = (path, text) =>
  scanText(text, allRules(), { path }).hits.map(({ rule, start, end }) => ({
    start,
    end,
    rule: rule.id,
    kind: rule.kind === "generic" ? "generic" : "structured",
  }));

function show(name: string, score: Score): void {
  for (const kind of ["structured", "generic"] as const) {
    const { recall, precision } = percents(score, kind);
    const { total } = score.byKind[kind];
    console.log(
      `${name.padEnd(28)} ${kind.padEnd(11)} recall ${recall.toFixed(2).padStart(6)} %  precision ${
        precision.toFixed(2).padStart(6)
      } %  (${total} planted, ${score.alarms[kind]} false alarms)`,
    );
  }
}

async function quality(): Promise<void> {
  const negatives = innocents(new Dice(seed + 7), 20_000);
  for (
    const [name, cases] of [["first corpus", positives(seed, 50)], [
      "second corpus",
      otherPositives(seed, 43),
    ]] as const
  ) {
    const score = emptyScore();
    await scorePositives(score, cases, svc);
    await scoreNegatives(score, negatives, svc);
    show(name, score);
    const weak = [...score.byFormat].filter(([, { total, found }]) => found < total * 0.995);
    for (const [format, { total, found }] of weak) {
      console.log(`    ${format}: ${found} of ${total}`);
    }
  }
}

/** Share found of all ways of writing; ways and rules below 99 % are named. */
function written(): void {
  const tallies = new Map<string, [found: number, total: number]>();
  const count = (name: string, found: boolean) => {
    const tally = tallies.get(name) ?? [0, 0];
    tallies.set(name, [tally[0] + Number(found), tally[1] + 1]);
  };
  for (const { group, rule, kind, path, text } of vectors(seed, 8)) {
    const found = scanText(text, allRules(), { path }).hits.length > 0;
    for (const name of [`all ${kind}`, `written as ${group}`, `rule ${rule}`]) count(name, found);
  }
  for (const [name, [found, total]] of tallies) {
    if (!name.startsWith("all ") && found >= total * 0.99) continue;
    console.log(`vectors, ${name.padEnd(40)} ${(100 * found / total).toFixed(1)} % of ${total}`);
  }
}

function hard(): void {
  const tallies = new Map<string, [found: number, total: number]>();
  for (const { kind, path, bytes } of hardOnes(new Dice(seed + 3), 500)) {
    const tally = tallies.get(kind) ?? [0, 0];
    tallies.set(kind, tally);
    tally[1]++;
    if (scanFile({ path, bytes }, {}).hits.length > 0) tally[0]++;
  }
  for (const [kind, [found, total]] of tallies) {
    console.log(`hard set, ${kind.padEnd(20)} ${(100 * found / total).toFixed(1)} % of ${total}`);
  }
}

async function scanTree(
  root: string,
  paths: readonly string[],
): Promise<{ result: SecretScanResult; ms: number }> {
  const from = performance.now();
  const signal = new AbortController().signal;
  const result = await secretScan({
    each: (visit) =>
      readTree(
        { root, paths, maxBytes: SECRET_FILE_BYTES, signal },
        (path, content) =>
          visit(
            typeof content === "string" ? { path, skipped: content } : { path, bytes: content },
          ),
      ),
  }, { key: newKey() });
  return { result, ms: performance.now() - from };
}

async function speed(): Promise<void> {
  const tree = `${cache}/tree`;
  writeTree(tree, await installPackages(`${cache}/packages`), 400, 1);
  const paths = pathsBelow(tree);
  const signal = new AbortController().signal;
  for (let round = 0; round < 3; round++) {
    const from = performance.now();
    let read = 0;
    await readTree({ root: tree, paths, maxBytes: SECRET_FILE_BYTES, signal }, (_, content) => {
      if (typeof content !== "string") read += content.length;
    });
    const readMs = performance.now() - from;
    const { result: { counts }, ms } = await scanTree(tree, paths);
    console.log(
      `speed: ${counts.files} files, ${(counts.bytes / 1e6).toFixed(0)} MB in ${
        (ms / 1e3).toFixed(2)
      } s = ${(counts.bytes / 1e3 / ms).toFixed(1)} MB/s (reading alone ${
        (read / 1e3 / readMs).toFixed(0)
      } MB/s), ${counts.findings} findings, ${counts.timeouts} timeouts`,
    );
  }
}

async function packages(): Promise<void> {
  const root = await installPackages(`${cache}/packages`);
  const { result } = await scanTree(root, pathsBelow(root).filter((path) => !path.startsWith(".")));
  const left = new Map(REVIEWED.map((one) => [`${one.rule} ${one.path}`, one.count]));
  let unknown = 0;
  for (const { rule, path, line, redacted } of result.findings) {
    const key = `${rule} ${path}`;
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    else {
      unknown++;
      console.log(`    not reviewed: ${rule} ${path}:${line} ${redacted}`);
    }
  }
  const { files, bytes, timeouts } = result.counts;
  console.log(
    `packages: ${result.findings.length} findings in ${files} files (${
      (bytes / 1e6).toFixed(0)
    } MB), ${unknown} not reviewed, ${timeouts} timeouts`,
  );
  if (unknown > 0) Deno.exitCode = 1;
}

/** The goal: five findings at most in 150 MB that nobody has looked at. */
async function others(): Promise<void> {
  const root = await installPackages(`${cache}/others`, OTHER_PACKAGES);
  const paths = pathsBelow(root).filter((path) => !path.startsWith("."));
  const { result: { findings, counts: { files, bytes } } } = await scanTree(root, paths);
  const rate = findings.length * 150e6 / bytes;
  for (const { rule, path, line, redacted } of findings) {
    console.log(`    ${rule} ${path}:${line} ${redacted}`);
  }
  console.log(
    `others: ${findings.length} findings in ${files} files (${(bytes / 1e6).toFixed(0)} MB), ${
      rate.toFixed(1)
    } in 150 MB`,
  );
  if (rate > 5) Deno.exitCode = 1;
}

async function paired(): Promise<void> {
  const cases = positives(seed, 2);
  const negatives = innocents(new Dice(seed + 7), 2_000);
  const peer = await secretlint();
  for (const [name, scan] of [["svc", svc], ["secretlint 13.0.7, preset", peer]] as const) {
    const score = emptyScore();
    const from = performance.now();
    await scorePositives(score, cases, scan);
    await scoreNegatives(score, negatives, scan);
    const ms = performance.now() - from;
    show(`paired: ${name}`, score);
    console.log(`    ${cases.length + negatives.length} texts in ${(ms / 1e3).toFixed(2)} s`);
  }
  const root = await installPackages(`${cache}/packages`);
  const some = pathsBelow(root).filter((path) => /^webpack\/.*\.js$/.test(path)).slice(0, 400);
  const texts = some.map((path) => [path, Deno.readTextFileSync(`${root}/${path}`)] as const);
  const bytes = texts.reduce((sum, [, text]) => sum + text.length, 0);
  const rates = new Map<string, number>();
  for (const [name, scan] of [["svc", svc], ["secretlint", peer]] as const) {
    const from = performance.now();
    for (const [path, text] of texts) await scan(path, text);
    rates.set(name, bytes / 1e3 / (performance.now() - from));
  }
  const [own = 0, other = 1] = rates.values();
  console.log(
    `paired: ${texts.length} files of webpack, ${(bytes / 1e6).toFixed(1)} MB: svc ${
      own.toFixed(1)
    } MB/s, secretlint ${other.toFixed(2)} MB/s: ${(own / other).toFixed(0)} times`,
  );
}

if (wanted("quality")) await quality();
if (wanted("vectors")) written();
if (wanted("hard")) hard();
if (wanted("packages")) await packages();
if (wanted("others")) await others();
if (wanted("speed")) await speed();
if (wanted("small")) {
  const built = Deno.env.get("SVC_BIN");
  const source = ["run", "-A", "--quiet", "--no-check", `${here}../main.ts`];
  await smallFiles(cache, built === undefined ? [Deno.execPath(), ...source] : [built]);
}
if (wanted("staged")) {
  console.log(
    `staged: 50 files, whole process: ${
      (await stagedMs(here)).map((ms) => ms.toFixed(0)).join(" / ")
    } ms (min / median / max)`,
  );
}
if (wanted("hostile")) {
  for (const { rule, ms, line } of slowest().slice(0, 5)) {
    console.log(
      `hostile 64 KiB line: ${rule.padEnd(28)} ${ms.toFixed(1).padStart(5)} ms  ${
        JSON.stringify(line)
      }`,
    );
  }
}
if (wanted("paired")) await paired();
