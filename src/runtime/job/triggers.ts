/** Which jobs a happening asks for, by the triggers of the manifest. Pure. */
import type { TrustLevel } from "svc/core/permission.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { NewJob } from "svc/features/jobs/job_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { jobKey, trustOfSource } from "./job_source.ts";

type TicketFacts = Pick<Ticket, "id" | "state" | "priority" | "source">;

export type Happening =
  /** A lifecycle begins. */
  | { readonly kind: "bootstrap" }
  /** A ticket came into its state. */
  | { readonly kind: "ticket"; readonly ticket: TicketFacts }
  /** @param scan names the pass */
  | {
    readonly kind: "scan_complete";
    readonly scan: string;
    readonly created: number;
    readonly deduplicated: number;
  }
  /** A person asks for one role, whatever its triggers say. @param request names what was asked */
  | {
    readonly kind: "manual";
    readonly role: string;
    readonly request: string;
    readonly ticket?: TicketFacts;
    readonly task?: string;
  }
  | {
    readonly kind: "cron";
    readonly role: string;
    /** As in `schedules`. */
    readonly schedule: string;
    /** Epoch ms. */
    readonly tick: number;
    /** It came while nobody ran. */
    readonly missed: boolean;
  }
  | {
    readonly kind: "webhook";
    /** Such as `github.issues.opened`. */
    readonly event: string;
    /** The same for two tellings of one thing: subject and its version. */
    readonly subject: string;
    /** Of whoever caused it, as the code host says. */
    readonly trust: TrustLevel;
    readonly ticket?: TicketFacts;
    /** Data of a stranger, shown as such. */
    readonly data: Readonly<Record<string, unknown>>;
  };

export interface Triggered {
  readonly id: string;
  readonly manifest: Pick<Manifest, "dispatch" | "roles"> | undefined;
}

/** Front of the keys of all jobs of one schedule. */
export function cronKey(repoId: string, role: string, schedule: string): string {
  return `cron:${repoId}:${role}:${schedule}:`;
}

/**
 * One job for each role that waits for it, in the manifest's order; none without a manifest. Asking
 * twice gives the same keys, so that a second enqueueing finds the first.
 */
export function jobsFor(happening: Happening, { id, manifest }: Triggered): NewJob[] {
  if (manifest === undefined) return [];
  // Where a person dispatches, a ticket that moves asks for nothing.
  if (happening.kind === "ticket" && manifest.dispatch.mode === "manual") return [];
  return Object.entries(manifest.roles)
    .filter(([name, role]) => waitsFor(name, role, happening))
    .map(([name, { parallel }]) => ({
      repo_id: id,
      role: name,
      parallel,
      trigger: happening.kind,
      source_trust: trustOf(happening),
      unique_key: keyOf(happening, id, name),
      payload: payloadOf(happening),
      ...ticketOf(happening),
    }));
}

function waitsFor(name: string, { triggers }: ManifestRole, happening: Happening): boolean {
  const { kind } = happening;
  if (kind === "manual" || kind === "cron") return name === happening.role;
  return triggers.some((trigger) => {
    if (trigger.on !== kind) return false;
    if (trigger.on === "ticket") {
      return kind === "ticket" && trigger.state === happening.ticket.state;
    }
    if (trigger.on !== "webhook" || kind !== "webhook") return true;
    // `github.issues` stands for all of its actions.
    return `${happening.event}.`.startsWith(`${trigger.event}.`);
  });
}

/** Work is trusted no further than whoever asked for it, nor than where its ticket came from. */
function trustOf(happening: Happening): TrustLevel {
  const { kind } = happening;
  if (kind === "webhook" && happening.trust === "observer") return "observer";
  const ticket = "ticket" in happening ? happening.ticket : undefined;
  return ticket === undefined ? "contributor" : trustOfSource(ticket.source);
}

function keyOf(happening: Happening, repoId: string, role: string): string {
  switch (happening.kind) {
    case "bootstrap":
      return jobKey(repoId, role, undefined);
    case "ticket":
      return jobKey(repoId, role, happening.ticket.id);
    case "manual":
      return happening.ticket !== undefined
        ? jobKey(repoId, role, happening.ticket.id)
        : `manual:${repoId}:${role}:${happening.request}`;
    case "scan_complete":
      return `scan_complete:${repoId}:${role}:${happening.scan}`;
    case "cron":
      return `${cronKey(repoId, role, happening.schedule)}${happening.tick}`;
    case "webhook":
      return `webhook:${repoId}:${role}:${happening.event}:${happening.subject}`;
  }
}

function payloadOf(happening: Happening): Record<string, unknown> {
  switch (happening.kind) {
    case "bootstrap":
    case "ticket":
      return {};
    case "manual":
      return happening.task === undefined ? {} : { task: happening.task };
    case "scan_complete": {
      const { scan, created, deduplicated } = happening;
      return { scan, created, deduplicated };
    }
    case "cron": {
      const { schedule, tick, missed } = happening;
      return { schedule, tick, ...(missed && { missed }) };
    }
    case "webhook":
      return { event: happening.event, subject: happening.subject, data: happening.data };
  }
}

function ticketOf(happening: Happening): Pick<NewJob, "ticket_id" | "priority"> {
  const ticket = "ticket" in happening ? happening.ticket : undefined;
  if (ticket === undefined) return {};
  return { ticket_id: ticket.id, priority: Number(ticket.priority.slice(1)) };
}
