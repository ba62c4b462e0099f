import { run } from "svc/cli/main.ts";
import { denoEntrance } from "svc/platform/entrance.ts";

Deno.exit(await run(Deno.args, denoEntrance(import.meta.url)));
