/** The attempts to leave the sandbox that the user chose, made with what programs of jobs have. */
import type { App } from "svc/app.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { childEnv } from "svc/platform/process/program.ts";
import type { Escape } from "svc/platform/sandbox/try_escape.ts";

/** Undefined where no sandbox is wanted. @throws Failure `environment` where it cannot be had */
export async function triedSandbox(
  app: Pick<App, "clock" | "env" | "home" | "load" | "sandbox">,
  which: "all" | "escapes",
): Promise<readonly Escape[] | undefined> {
  const sandbox = await app.sandbox();
  if (sandbox === undefined) return undefined;
  const [{ escapeAttempts, EXCESSES, TRIED_LIMITS }, { tryEscape }] = await Promise.all([
    app.load("src/platform/sandbox/escape_attempts"),
    app.load("src/platform/sandbox/try_escape"),
  ]);
  const env = childEnv(app.env.all());
  const place = {
    folder: `${app.home.cache}/sandbox/${uuidV7(app.clock.now())}`,
    userHome: env.HOME ?? "/",
    agent: app.env.get("SSH_AUTH_SOCK") ?? "",
    env,
  };
  const escapes = await tryEscape(
    denoProcesses({}, () => Promise.resolve(sandbox)),
    place,
    escapeAttempts(),
  );
  if (which === "escapes") return escapes;
  const bounded = sandbox.within(TRIED_LIMITS);
  const excesses = await tryEscape(
    denoProcesses({}, () => Promise.resolve(bounded)),
    place,
    EXCESSES,
  );
  return [...escapes, ...excesses];
}
