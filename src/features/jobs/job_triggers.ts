/** Which roles a happening concerns, by the triggers of the manifest, and the jobs that follow. Pure. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { NewJob } from "./job_store.ts";
import { orderFor, trustOfTicket } from "./order_job.ts";

type TicketFacts = Pick<Ticket, "id" | "state" | "priority" | "source">;

type Triggering =
  | { readonly kind: "bootstrap" }
  | { readonly kind: "ticket"; readonly ticket: Pick<TicketFacts, "state"> }
  | { readonly kind: "scan_complete" }
  | { readonly kind: "webhook"; readonly event: string };

export type Happening =
  | { readonly kind: "bootstrap" }
  | { readonly kind: "ticket"; readonly ticket: TicketFacts }
  | {
    readonly kind: "scan_complete";
    readonly scan: string;
    readonly created: number;
    readonly deduplicated: number;
  }
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
    readonly schedule: string;
    /** Epoch ms. */
    readonly tick: number;
    readonly missed: boolean;
  };

interface TriggeredRepo {
  readonly id: string;
  readonly manifest: Pick<Manifest, "dispatch" | "roles"> | undefined;
}

export function rolesTriggered(
  { roles }: Pick<Manifest, "roles">,
  happening: Triggering,
): string[] {
  const { kind } = happening;
  const waits = ({ triggers }: Manifest["roles"][string]) =>
    triggers.some((trigger) => {
      if (trigger.on === "ticket") {
        return kind === "ticket" && trigger.state === happening.ticket.state;
      }
      if (trigger.on === "webhook") return kind === "webhook" && trigger.event === happening.event;
      return trigger.on === kind;
    });
  return Object.keys(roles).filter((name) => waits(roles[name]!));
}

export function cronKey(repoId: string, role: string, schedule: string): string {
  return `cron:${repoId}:${role}:${schedule}:`;
}

/** Asking twice gives the same keys, so each job is queued once. */
export function jobsFor(happening: Happening, { id, manifest }: TriggeredRepo): NewJob[] {
  if (manifest === undefined) return [];
  // If a person dispatches, moving a ticket starts nothing.
  if (happening.kind === "ticket" && manifest.dispatch.mode === "manual") return [];
  const ticket = "ticket" in happening ? happening.ticket : undefined;
  return rolesOf(manifest, happening).map((role) =>
    orderFor({ id, manifest }, {
      role,
      trigger: happening.kind,
      // Work is trusted no further than where its ticket came from.
      trust: ticket === undefined ? "contributor" : trustOfTicket(ticket),
      ticket,
      payload: payloadOf(happening),
      key: keyOf(happening, id, role),
    })
  );
}

function rolesOf(manifest: Pick<Manifest, "roles">, happening: Happening): string[] {
  if (happening.kind !== "manual" && happening.kind !== "cron") {
    return rolesTriggered(manifest, happening);
  }
  return Object.hasOwn(manifest.roles, happening.role) ? [happening.role] : [];
}

/** Undefined where one waiting job of the role on the ticket, or on the repo, is enough. */
function keyOf(happening: Happening, repoId: string, role: string): string | undefined {
  switch (happening.kind) {
    case "bootstrap":
    case "ticket":
      return undefined;
    case "manual":
      return happening.ticket === undefined
        ? `manual:${repoId}:${role}:${happening.request}`
        : undefined;
    case "scan_complete":
      return `scan_complete:${repoId}:${role}:${happening.scan}`;
    case "cron":
      return `${cronKey(repoId, role, happening.schedule)}${happening.tick}`;
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
  }
}
