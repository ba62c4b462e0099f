/** The table of docs/models.md says of each server what its tests show. */
import assert from "node:assert/strict";
import { CLOUDS } from "tests/kit/servers/cloud_entries.ts";
import { LOCAL } from "tests/kit/servers/local_entries.ts";
import { VENDORS } from "tests/kit/servers/vendor_entries.ts";
import { FLOWS, type ZooEntry } from "tests/kit/servers/zoo_flows.ts";

const DOCUMENT = new URL("../../../../docs/models.md", import.meta.url);

function row({ server, ...shown }: ZooEntry, file: string): string[] {
  return [
    server().name,
    "yes",
    shown.statesWindow ? "asked" : "assumed",
    shown.tools === "native" ? "native" : "in text",
    shown.keepsReasoning ? "goes back" : "—",
    shown.countsCached ? "counted" : "—",
    `\`${file}\``,
  ];
}

const cells = (line: string) => line.split("|").slice(1, -1).map((cell) => cell.trim());

Deno.test("the table of servers says what their tests show", async () => {
  const text = await Deno.readTextFile(DOCUMENT);
  const section = /^## Which servers work\n([\s\S]*?)^## /m.exec(text)?.[1] ?? "";
  const [head = "", , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  assert.equal(cells(head).length, 7);
  const expected = [
    ...LOCAL.map((entry) => row(entry, "zoo_local_test.ts")),
    ...CLOUDS.map((entry) => row(entry, "zoo_cloud_test.ts")),
    ...VENDORS.map((entry) => row(entry, "zoo_vendors_test.ts")),
  ];
  assert.deepEqual(rows.map(cells), expected);
  const named = [...section.matchAll(/^- [^"\n]*"([^"]+)"/gm)].map(([, flow]) => flow!);
  assert.equal(named.length, 4);
  for (const flow of named) assert.ok(Object.hasOwn(FLOWS, flow), `no test is named "${flow}"`);
});
