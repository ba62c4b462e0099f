import { fileEdit } from "svc/features/tools/file_edit.ts";
import { fileWrite } from "svc/features/tools/file_write.ts";
import { takesBadArgs } from "./hostile_place.ts";

for (const tool of [fileWrite, fileEdit]) {
  Deno.test(`${tool.name} takes 500 bad arguments without harm`, () => takesBadArgs(tool));
}
