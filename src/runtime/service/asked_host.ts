/** The code host of a repo, as svc asks it with the person's own login. */
import { Failure } from "svc/core/failure.ts";
import { codeHostPlace } from "svc/features/access/code_host_access.ts";
import { type CodeHostIntake, codeHostIntake } from "svc/features/access/code_host_intake.ts";
import { codeHostLogin } from "svc/features/access/code_host_login.ts";
import { LimitReached } from "svc/features/access/code_host_refusal.ts";
import { limitNow, limitOver, noteLimit } from "svc/features/access/host_limit_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { WebhookSource } from "svc/features/webhooks/delivery_table.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

export interface AskedHost {
  readonly remote: string;
  readonly intake: CodeHostIntake;
  /** Logs what the host refuses, as `what`, and gives undefined for it. Throws what svc itself is at fault for. */
  tried<T>(what: string, ask: () => Promise<T>): Promise<T | undefined>;
  /** True while the host wants no further requests. */
  limited(): Promise<boolean>;
}

/** Undefined where svc has no address or login for the host, and while the host wants no requests. */
export async function askedHost(ports: RuntimePorts, repo: Repo): Promise<AskedHost | undefined> {
  const { host, remote } = repo.place ?? {};
  const { db, clock, log, fetch, redact, signal } = ports;
  if (host === undefined || remote === undefined) return undefined;
  const limited = async () => await limitNow(db, host, clock.now()) !== undefined;
  const at = await codeHostPlace(ports, host, ports.codeHost);
  if (at.api === undefined || await limited()) return undefined;
  const login = await codeHostLogin(ports, at, { remote, refuseUnder: [repo.git.root], signal });
  if (login === undefined) return undefined;
  const plan = { remote, token: login.password, api: at.api, web: at.web, tokenWay: at.tokenWay };
  return {
    remote,
    limited,
    intake: codeHostIntake({ fetch, clock, redact, signal }, plan),
    async tried(what, ask) {
      try {
        const given = await ask();
        await limitOver(db, host);
        return given;
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
        if (failure instanceof LimitReached) await noteLimit(db, host, failure, clock.now());
        const { message, remedy } = failure;
        log.write("warn", `${what}: ${message}`, { repo: repo.root, remedy });
        return undefined;
      }
    },
  };
}

/** Whether the person may have work done in the repo; undefined where its code host does not say. */
export async function mayVouch(
  ports: RuntimePorts,
  repo: Repo,
  { login, source }: { readonly login: string; readonly source: WebhookSource },
): Promise<boolean | undefined> {
  if (source === "linear") {
    const { linear } = await ports.settings();
    return linear.vouchers.some((known) => known.toLowerCase() === login.toLowerCase());
  }
  const host = await askedHost(ports, repo);
  return await host?.tried("who asks for work", () => host.intake.mayWrite(login));
}
