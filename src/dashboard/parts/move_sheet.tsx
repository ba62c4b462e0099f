/** The dialog that moves a ticket: where to, why, and what the move needs. */
import { useSignal } from "@preact/signals";
import type { TicketPage } from "svc/runtime/views/ticket_view.ts";
import { act } from "svc/dashboard/state/api.ts";
import { draftOf, dropDraft, keepDraft } from "svc/dashboard/state/drafts.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { ticketHref } from "svc/dashboard/state/place.ts";
import { refresh, useResource } from "svc/dashboard/state/resource.ts";
import { closeSheet, type MovableTicket, movedTicket, sheet } from "svc/dashboard/state/sheets.ts";
import {
  moveNeeds,
  type TicketState,
  waysFrom,
  waysInWords,
} from "svc/dashboard/state/ticket_moves.ts";
import { keyOfTicket } from "svc/dashboard/state/ticket_pages.ts";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { faultOfAct } from "./refusal_text.ts";

/** The service takes no more of a reason. */
const REASON_CHARS = 1_000;

const MEANS: Readonly<Record<TicketState, string>> = {
  backlog: "It waits until a role takes it.",
  "in-progress": "A role works on it.",
  review: "It is looked at before it is done.",
  blocked: "Nothing works on it until somebody has acted.",
  done: "It is over. The move merges nothing by itself.",
};

function Line(
  { label, value, onInput, required = true }: {
    readonly label: string;
    readonly value: string;
    onInput(value: string): void;
    readonly required?: boolean;
  },
) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        dir="auto"
        maxLength={REASON_CHARS}
        required={required}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

export function MoveSheet(
  { ticket, to }: { readonly ticket: MovableTicket; readonly to: TicketState | undefined },
) {
  const { id, repo_id, state } = ticket;
  const ways = waysFrom(state);
  const page = useResource<TicketPage>(ticketHref(repo_id, id).replace("/ticket?", "/api/ticket?"));
  const unblock = page.data.value?.ticket.unblock;
  const target = useSignal<TicketState | undefined>(
    to ?? (ways.length === 1 ? ways[0] : undefined),
  );
  const draft = `move ${keyOfTicket(ticket)}`;
  const values = useSignal({ reason: "", owner: "", action: "", ...draftOf(draft).values });
  const happened = useSignal(false);
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const needs = target.value === undefined ? undefined : moveNeeds(state, target.value);
  const set = (name: keyof typeof values.value) => (value: string) => {
    values.value = { ...values.value, [name]: value };
    keepDraft(draft, values.value);
  };
  const { reason, owner, action } = values.value;
  const ready = target.value !== undefined && (needs !== "happened" || happened.value) &&
    (needs !== "unblock" || (owner.trim() !== "" && action.trim() !== ""));

  const submit = async (event: Event) => {
    event.preventDefault();
    const where = target.value;
    if (where === undefined) return;
    const own = sheet.peek();
    busy.value = true;
    refusal.value = undefined;
    try {
      await act("/api/move-ticket", {
        ...{ repo_id, ticket_id: id, state: where },
        ...(reason.trim() !== "" && { reason }),
        ...(needs === "unblock" && { owner, action }),
        ...(needs === "happened" && { force: "yes" }),
      });
      dropDraft(draft);
      movedTicket.value = `${keyOfTicket(ticket)} ${where}`;
      closeSheet(own);
      notify({
        ...{ tone: "good", text: `${id} moved from ${state} to ${where}.` },
        link: { href: ticketHref(repo_id, id), text: "Show it" },
      });
      refresh();
    } catch (thrown) {
      refusal.value = faultOfAct(thrown);
    }
    busy.value = false;
  };

  return (
    <Dialog title={`Move ${id}`}>
      <form onSubmit={submit}>
        <p dir="auto">{ticket.title}</p>
        {ways.length === 0 && <p class="reason">{waysInWords(state)}</p>}
        <fieldset class="ways">
          <legend>From {state} to</legend>
          {ways.map((way, nth) => (
            <label key={way} class="way">
              <input
                type="radio"
                autofocus={way === target.peek() || (target.peek() === undefined && nth === 0)}
                name="way"
                value={way}
                checked={target.value === way}
                onChange={() => target.value = way}
              />
              <span>
                <b>{way}</b> <span class="dim">{MEANS[way]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {needs === "unblock" && (
          <>
            <Line label="Who can unblock it" value={owner} onInput={set("owner")} />
            <Line label="What they are to do" value={action} onInput={set("action")} />
          </>
        )}
        {needs === "happened" && (
          <label class="check">
            <input
              type="checkbox"
              required
              checked={happened.value}
              onChange={(event) => happened.value = event.currentTarget.checked}
            />
            <span dir="auto">
              It has happened: {unblock == null ? "…" : `${unblock.owner}: ${unblock.action}`}
            </span>
          </label>
        )}
        <Line
          label="Why (kept as evidence)"
          value={reason}
          onInput={set("reason")}
          required={false}
        />
        <Refusal of={refusal.value} />
        <div class="sheet-foot">
          <button type="button" class="button" onClick={() => sheet.value = undefined}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy.value || !ready}>
            {busy.value ? "Asking…" : "Move it"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
