import { glob } from "svc/features/tools/glob.ts";
import { grep } from "svc/features/tools/grep.ts";
import { takesBadArgs } from "./hostile_place.ts";

for (const tool of [glob, grep]) {
  Deno.test(`${tool.name} takes 500 bad arguments without harm`, () => takesBadArgs(tool));
}
