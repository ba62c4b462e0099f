/** The owner of a lease as text: `host/boot/pid/start/worker`. */
import type { Job } from "./job_table.ts";
import type { Identities, Life, ProcessIdentity } from "svc/platform/process/identity.ts";

/** @param worker unique in the process, such as "w1" */
export function ownerText({ host, boot, pid, start }: ProcessIdentity, worker: string): string {
  return [host, boot, pid, start, worker].map((part) => encodeURIComponent(part)).join("/");
}

/** Boot and start are empty where the system does not tell them. */
const OWNER = /^([^/]+)\/([^/]*)\/(\d+)\/(\d*)\/[^/]+$/;

export function parseOwner(owner: string): ProcessIdentity | undefined {
  const [, host, boot, pid, start] = OWNER.exec(owner) ?? [];
  if (host === undefined) return undefined;
  try {
    return { host: decodeURIComponent(host), boot: boot!, pid: Number(pid), start: start! };
  } catch {
    return undefined; // a "%" that encodes nothing: another program's text
  }
}

/** This process counts as alive: for its own workers only the heartbeat tells. */
export function ownersLife({ life }: Pick<Identities, "life">): (owner: string) => Promise<Life> {
  return async (owner) => {
    const other = parseOwner(owner);
    return other === undefined ? "unknown" : await life(other);
  };
}

/** Its row says that it runs, and the process that ran it is dead. */
export async function isAbandoned(
  { status, lease_owner }: Pick<Job, "status" | "lease_owner">,
  identities: Pick<Identities, "life">,
): Promise<boolean> {
  if (status !== "running" || lease_owner === null) return false;
  return await ownersLife(identities)(lease_owner) === "dead";
}
