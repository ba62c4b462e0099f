/** The main thread's side of a confined command: computes its permissions and brokers its repos. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { offerRepos } from "svc/platform/brokered_repo.ts";
import { runInWorker } from "svc/platform/confine.ts";
import type { Interrupt } from "svc/platform/interrupt.ts";
import type { Confinement } from "./command.ts";
import type { Call } from "./perform.ts";

/** What the Worker is told; plain data. */
export interface ConfinedMessage {
  readonly mainUrl: string;
  readonly path: string;
  readonly given: Call["given"];
  readonly confinement: Confinement;
  /** The Worker may not read the environment; it gets what the platform needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Variables a confined command sees: the child allow-list, our own, and how to draw. */
const ENV_NAMES =
  /^(?:PATH|HOME|LANG|LC_.*|TZ|TERM|TMPDIR|NO_COLOR|CI|SVC_.*|GITHUB_TOKEN|(?:OPENAI|ANTHROPIC|OPENROUTER|GEMINI)_API_KEY)$/;

export async function performConfined(call: Call, app: App, interrupt: Interrupt): Promise<number> {
  if (call.command.confine === undefined) {
    throw new Failure("internal", `Cannot confine "svc ${call.path}": it declares no confinement`);
  }
  const confinement: Confinement = await call.command.confine(app, call.given);
  using offered = offerRepos(app, confinement);
  const message: ConfinedMessage = {
    mainUrl: app.url("main"),
    path: call.path,
    given: call.given,
    confinement,
    env: Object.fromEntries(Object.entries(app.env.all()).filter(([name]) => ENV_NAMES.test(name))),
    cwd: app.cwd(),
  };
  return await runInWorker({
    module: app.url("src/cli/confined"),
    grants: { ...confinement, home: app.home, programRoot: app.runtime.root },
    message: { ...message },
    offered: offered.objects,
    signal: app.signal,
    overdue: interrupt.overdue,
  });
}
