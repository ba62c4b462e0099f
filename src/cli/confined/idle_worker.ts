/** Starts a confined command's Worker at once: it loads its modules while the main thread works out what it may do. */
import {
  type IdleWorker,
  permissionsFor,
  startWorker,
} from "svc/platform/confined/start_worker.ts";
import type { Entrance, ModulePath } from "svc/platform/entrance.ts";
import { homeOf } from "svc/platform/home.ts";
import type { CommandText } from "svc/cli/command.ts";
import { moduleOf } from "svc/cli/tree.ts";

export interface AheadMessage {
  readonly ahead: { readonly mainUrl: string; readonly modules: readonly ModulePath[] };
}

/** The Worker has only what every run has by then: svc's own folders and loopback. */
export function idleWorker(entrance: Entrance, path: string, { ahead }: CommandText): IdleWorker {
  const modules = [moduleOf(path), ...(ahead ?? [])];
  const message: AheadMessage = { ahead: { mainUrl: entrance.url("main"), modules } };
  return startWorker({
    module: entrance.url("src/cli/confined/worker"),
    permissions: permissionsFor({
      hosts: [],
      home: homeOf(entrance.env),
      programRoot: entrance.runtime.root,
    }),
    ahead: { ...message },
  });
}
