/** A program whose work is done in a confined Worker (confined_worker.ts), with real permissions and a real broker. */
import { onInterrupt } from "svc/platform/process/interrupt.ts";
import { offerRepos } from "svc/platform/confined/brokered_repo.ts";
import { runInWorker } from "svc/platform/confined/confine.ts";
import { permissionsFor, startWorker } from "svc/platform/confined/start_worker.ts";
import { homeOf } from "svc/platform/home.ts";
import { denoEnv } from "svc/platform/entrance.ts";
import { mainPorts } from "tests/unit/platform/confined_ports.ts";

const [task = "", repo = ""] = Deno.args;
const home = homeOf(denoEnv);
const interrupt = onInterrupt(8_000);
const confines = { repos: [repo], profile: "host" } as const;
try {
  const ports = mainPorts({ ...confines, home: home.worktrees, signal: interrupt.signal });
  using offered = offerRepos(ports, confines);
  const grants = { hosts: [], home, programRoot: new URL("../..", import.meta.url).pathname };
  using idle = startWorker({
    module: new URL("confined_worker.ts", import.meta.url).href,
    permissions: permissionsFor(grants),
  });
  Deno.exitCode = await runInWorker(idle, {
    grants,
    message: { task, repo },
    offered: offered.objects,
    signal: interrupt.signal,
    hurry: interrupt.hurry,
    overdue: interrupt.overdue,
  });
} finally {
  interrupt.close();
}
