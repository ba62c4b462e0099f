/** What cards and rows of tickets share: state, priority, the words that were found. */
import type { TicketItem } from "svc/runtime/views/tickets_view.ts";
import { foundParts } from "svc/dashboard/state/ticket_query.ts";
import type { TicketState as State } from "svc/dashboard/state/ticket_moves.ts";
import { jobHref, ticketHref } from "svc/dashboard/state/place.ts";
import { Chip, type ChipTone, TicketLink } from "./facts.tsx";

export const TICKET_TONES = {
  backlog: "waiting",
  "in-progress": "working",
  review: "working",
  blocked: "needs_you",
  done: "done",
} as const satisfies Readonly<Record<State, ChipTone>>;

export function TicketState({ state }: { readonly state: string }) {
  const tones: Readonly<Record<string, ChipTone>> = TICKET_TONES;
  return <Chip tone={tones[state] ?? "plain"}>{state}</Chip>;
}

export function Priority({ of }: { readonly of: string }) {
  return <span class={`priority priority-${of}`} title={`Priority ${of}`}>{of}</span>;
}

export function Found({ text, query }: { readonly text: string; readonly query: string }) {
  return (
    <>
      {foundParts(text, query).map((part, nth) =>
        part.found ? <mark key={nth}>{part.text}</mark> : part.text
      )}
    </>
  );
}

export function TicketTitle(
  { of, query }: { readonly of: TicketItem; readonly query: string },
) {
  return (
    <a href={ticketHref(of.repo_id, of.id)} draggable={false} dir="auto" title={of.title}>
      <Found text={of.title} query={query} />
    </a>
  );
}

/** What happens with it now, or what it waits for. */
export function Now({ of }: { readonly of: TicketItem }) {
  const { asks, job_id: job, job_status: status, waits_for: waits, repo_id: repo } = of;
  if (asks) return <p class="ticket-now tone-needs_you">asks a question</p>;
  if (job !== null) {
    return (
      <p class={`ticket-now tone-${status === "running" ? "working" : "waiting"}`}>
        <a href={jobHref(job)} draggable={false}>
          {status === "running" ? "a job works on it" : "a job is queued"}
        </a>
      </p>
    );
  }
  if (waits.length === 0) return null;
  return (
    <p class="ticket-now">
      {"waits for "}
      {waits.map(({ id, state }, nth) => (
        <span key={id}>
          {nth > 0 && ", "}
          {state === null ? `${id}, which is not there` : <TicketLink repo={repo} id={id} />}
        </span>
      ))}
    </p>
  );
}

/** The line of its text in which the words stand. */
export function Excerpt({ of, query }: { readonly of: TicketItem; readonly query: string }) {
  if (of.excerpt === null) return null;
  return (
    <span class="excerpt" dir="auto">
      <Found text={of.excerpt} query={query} />
    </span>
  );
}
