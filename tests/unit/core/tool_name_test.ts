import assert from "node:assert/strict";
import { knownToolName } from "svc/core/tool_name.ts";

const KNOWN = new Set(["file_read", "functions.own", "finish"]);

const FOUND: readonly (readonly [written: string, name: string])[] = [
  ["file_read", "file_read"],
  [" file_read\n", "file_read"],
  ["functions.file_read", "file_read"],
  ["function.file_read", "file_read"],
  ["functions.file_read:12", "file_read"],
  ["file_read:0", "file_read"],
  ["default_api.finish", "finish"],
  ["tools.finish", "finish"],
  ["file_read<|channel|>commentary", "file_read"],
  ["functions.file_read <|constrain|>json", "file_read"],
  ["`file_read`", "file_read"],
  ["**finish**", "finish"],
  ["functions.own", "functions.own"],
];

for (const [written, name] of FOUND) {
  Deno.test(`knownToolName finds ${name} in ${JSON.stringify(written)}`, () => {
    assert.equal(knownToolName(written, KNOWN), name);
  });
}

for (
  const written of ["", "read", "own", "functions.", "file_read2", "a file_read", "<|channel|>"]
) {
  Deno.test(`knownToolName finds nothing in ${JSON.stringify(written)}`, () => {
    assert.equal(knownToolName(written, KNOWN), undefined);
  });
}
