import assert from "node:assert/strict";
import { verifies } from "tests/kit/verifies.ts";
import { type ReadTree, readTree } from "svc/platform/files/tree_reader.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const { signal } = new AbortController();

async function stampOf(read: ReadTree, root: string, path: string, stamps?: Map<string, string>) {
  const seen: string[] = [];
  const plan = { root, paths: [path], maxBytes: 4096, signal, ...(stamps && { stamps }) };
  await read(plan, (_, content, stamp) => {
    assert.ok(content instanceof Uint8Array);
    seen.push(stamp);
  });
  return seen;
}

verifies(
  "2.1:tickets:state-directories",
  "a file with its old stamp is not read, and one that was just written has none",
  async () => {
    const [stamp] = await stampOf(readTree, "/etc", "passwd");
    assert.match(stamp!, /^\d+ \d+ \d+ \d+$/);
    assert.deepEqual(await stampOf(readTree, "/etc", "passwd", new Map([["passwd", stamp!]])), []);
    const other = new Map([["passwd", `1${stamp}`]]);
    assert.deepEqual(await stampOf(readTree, "/etc", "passwd", other), [stamp]);

    await using folder = await tempFolder();
    await Deno.writeTextFile(`${folder.path}/young`, "a");
    assert.deepEqual(await stampOf(readTree, folder.path, "young", new Map([["young", ""]])), [""]);
    // The time of a content can be set by anybody; that of its node cannot.
    await Deno.utime(`${folder.path}/young`, 1_000, 1_000);
    assert.deepEqual(await stampOf(readTree, folder.path, "young"), [""]);
  },
);
