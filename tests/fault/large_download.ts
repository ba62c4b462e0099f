/**
 * A model of 2 GiB from nginx: killed in the middle, gone on with, right at the end, and never much of it in memory:
 * `deno run -A tests/fault/large_download.ts`.
 */
import assert from "node:assert/strict";
import { sha256Of } from "tests/kit/file_digest.ts";
import { residentMib } from "tests/kit/proc.ts";
import { nginxFiles } from "tests/kit/servers/nginx_files.ts";
import { until } from "tests/kit/until.ts";
import {
  artifactOf,
  downloadPlace,
  FILE,
} from "tests/unit/features/models/bundles/download_place.ts";

const BYTES = 2 * 1024 ** 3;
/** Four segments of 16 MiB, as much again on its way to the disk, and the runtime itself. */
const MOST_MIB = 400;

await using place = await downloadPlace();
await using nginx = await nginxFiles(place.folder, place.root);
{
  // Sparse but for a mark in each 64 MiB, so that a part in another place has another digest.
  using file = await Deno.open(`${place.root}/${FILE}`, { create: true, write: true });
  await file.truncate(BYTES);
  for (let at = 0; at < BYTES; at += 64 * 1024 ** 2) {
    await file.seek(at, Deno.SeekMode.Start);
    await file.write(new TextEncoder().encode(`mark ${at}`));
  }
}
const sha256 = await sha256Of(`${place.root}/${FILE}`);
const small = await artifactOf(nginx.origin, new Uint8Array(0));
const artifact = { ...small, bytes: BYTES, identity: { ...small.identity, sha256 } };
const program = new URL("../unit/features/models/bundles/download_program.ts", import.meta.url);
const args = [
  "run",
  "-A",
  "--no-check",
  "-q",
  program.pathname,
  JSON.stringify(artifact),
  place.path,
];
const start = () => new Deno.Command(Deno.execPath(), { args: [...args, "16777216"] }).spawn();
const size = () => {
  try {
    return Deno.statSync(`${place.path}.part`).size;
  } catch {
    return 0;
  }
};

const first = start();
await until(() => size() > BYTES / 3, () => `${size()} bytes`);
first.kill("SIGKILL");
await first.status;
const left = size();
assert.ok(left < BYTES);
console.log(`killed at ${left} bytes`);

const began = performance.now();
const second = start();
let most = 0;
const watch = setInterval(() => {
  try {
    most = Math.max(most, residentMib(second.pid) || 0);
  } catch {
    // It has ended.
  }
}, 50);
const { success } = await second.status;
clearInterval(watch);
assert.ok(success);
assert.equal(await sha256Of(place.path), sha256);
assert.ok(most < MOST_MIB, `${most} MiB in memory`);
const seconds = (performance.now() - began) / 1000;
console.log(`went on in ${seconds.toFixed(1)} s, ${Math.round(most)} MiB at most`);
