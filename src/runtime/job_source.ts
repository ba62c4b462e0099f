/** What makes two jobs the same work, and how far whoever asked for it is trusted. */
import type { TrustLevel } from "svc/core/permission.ts";

/** One job of a role on a ticket, or on a repo, waits at a time. */
export function jobKey(repoId: string, role: string, ticketOrBranch: string | undefined): string {
  return `${repoId}:${role}:${ticketOrBranch ?? "-"}`;
}

/** A ticket that came from outside is read only until a person moves it. */
export function trustOfSource(source: string): TrustLevel {
  return source.startsWith("webhook:") ? "observer" : "contributor";
}
