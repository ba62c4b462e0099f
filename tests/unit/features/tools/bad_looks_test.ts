import { fileList } from "svc/features/tools/file_list.ts";
import { fileRead } from "svc/features/tools/file_read.ts";
import { takesBadArgs } from "./hostile_place.ts";

for (const tool of [fileRead, fileList]) {
  Deno.test(`${tool.name} takes 500 bad arguments without harm`, () => takesBadArgs(tool));
}
