import { run } from "svc/cli/main.ts";
import { denoEntrance, keepLoopbackOffProxies } from "svc/platform/entrance.ts";

keepLoopbackOffProxies();
Deno.exit(await run(Deno.args, denoEntrance(import.meta.url)));
