/** What `svc __complete` does, over the sample tree: for values that no command of svc takes yet. */
import { serveCompletion } from "svc/cli/completion/serve.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { SAMPLE_TREE } from "tests/shells/sample_tree.ts";

const main = new URL("../../main.ts", import.meta.url).href;
Deno.exit(await serveCompletion(denoEntrance(main), Deno.args.slice(1), SAMPLE_TREE));
