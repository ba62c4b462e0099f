import { run } from "svc/cli/main.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { keepLoopbackOffProxies } from "svc/platform/net/proxy_bypass.ts";

keepLoopbackOffProxies();
Deno.exit(await run(Deno.args, denoEntrance(import.meta.url)));
