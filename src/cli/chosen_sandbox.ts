/** The sandbox that the user chose, by --sandbox or else in their config: opened for the first program of a job. */
import type { App } from "svc/app.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import type { ExecutionRules, SandboxKind } from "svc/core/execution.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { OpenSandbox, Processes } from "svc/platform/process/process.ts";

export interface SandboxWish {
  /** `--sandbox`, above the config. */
  readonly typed?: SandboxKind;
  /** `--db`, which may lie in no folder of svc's own. */
  readonly database?: string;
}

type WishPorts = Pick<App, "env" | "files" | "home" | "load" | "settings">;

/** Undefined where none is wanted. @throws Failure where the config is not valid */
async function wantedRules(
  app: WishPorts,
  { typed }: SandboxWish,
): Promise<ExecutionRules | undefined> {
  if (typed === "off") return undefined;
  if (typed === undefined && !await configMentions(app, "execution")) return undefined;
  const { execution } = await app.settings();
  return typed === undefined && execution.sandbox === "off" ? undefined : execution;
}

/** After a failure the next call tries again: what is missing can be installed meanwhile. */
export function chosenSandbox(
  app: WishPorts,
  wish: SandboxWish,
  plain: Pick<Processes, "run">,
): OpenSandbox {
  const open = async () => {
    const rules = await wantedRules(app, wish);
    if (rules === undefined) return undefined;
    const { openBubblewrap } = await app.load("src/platform/sandbox/sandbox");
    const { root, sharedDb, db, traces, journal, cache, worktrees, repos } = app.home;
    const shared = sharedDb.slice(0, sharedDb.lastIndexOf("/"));
    return await openBubblewrap({ files: app.files, run: plain.run }, {
      rules,
      user: {
        env: { HOME: app.env.get("HOME"), PATH: app.env.get("PATH") },
        // Each may be a link to another disk.
        own: [root, shared, db, traces, journal, cache, worktrees, repos],
        databases: wish.database === undefined || isServerAddress(wish.database)
          ? []
          : [wish.database],
      },
      folder: `${cache}/sandbox`,
    });
  };
  let opened: ReturnType<OpenSandbox> | undefined;
  return () =>
    opened ??= open().catch((thrown) => {
      opened = undefined;
      throw thrown;
    });
}
