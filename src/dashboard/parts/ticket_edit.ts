/** One edit of a ticket: what it began with, what is typed, and what somebody else saved meanwhile. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act, readRaw, ServiceRefusal } from "svc/dashboard/state/api.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { focusMain, go, hrefWith } from "svc/dashboard/state/place.ts";
import { refresh } from "svc/dashboard/state/resource.ts";
import {
  changedFields,
  type TypedFields,
  typedFields,
  withMine,
} from "svc/dashboard/state/ticket_fields.ts";
import { dropUnsaved, editKey, keepUnsaved, unsavedOf } from "svc/dashboard/state/unsaved.ts";
import type { TicketPage } from "svc/runtime/views/ticket_view.ts";
import { faultOfAct, refusalText } from "./refusal_text.ts";

/** A ticket's file at one time. */
export interface ReadTicket {
  readonly version: string;
  readonly text: string;
  /** Why only fields can be changed here. */
  readonly fault: string | null;
  readonly fields: TypedFields;
}

export interface EditDraft {
  /** What the edit began with. */
  readonly base: ReadTicket;
  readonly fields: TypedFields;
  readonly text: string;
  /** What is in the repo now, where somebody else changed it meanwhile. */
  readonly theirs?: ReadTicket | undefined;
}

export interface TicketEdit {
  /** Undefined until the ticket is read. */
  readonly draft: EditDraft | undefined;
  /** Something is typed: it outlives the page. */
  readonly kept: boolean;
  readonly busy: boolean;
  readonly refusal: string | undefined;
  begin(): Promise<void>;
  type(changed: Partial<Pick<EditDraft, "fields" | "text">>): void;
  discard(): void;
  saveText(): Promise<void>;
  saveFields(): Promise<void>;
  /** Ends a conflict: with their text, or with one that both are in, which is saved. */
  takeTheirs(): void;
  saveMerged(text: string): Promise<void>;
  /** @param taken fields in which their value counts */
  saveMine(taken: readonly (keyof TypedFields)[]): Promise<void>;
}

async function readTicket(repo: string, id: string): Promise<ReadTicket> {
  const url = `/api/ticket?repo_id=${encodeURIComponent(repo)}&id=${encodeURIComponent(id)}`;
  const { ticket } = await readRaw<TicketPage>(url);
  return {
    version: ticket.version,
    text: ticket.text ?? "",
    fault: ticket.text_fault,
    fields: typedFields(ticket),
  };
}

const fresh = (base: ReadTicket): EditDraft => ({ base, fields: base.fields, text: base.text });

function leave(): void {
  go(hrefWith({ edit: "" }), "replace");
  focusMain();
}

/** A change that somebody else saved first is put beside the draft, as `theirs`. */
export function useTicketEdit(repo: string, id: string): TicketEdit {
  const key = editKey(repo, id);
  const begun = useSignal<ReadTicket | undefined>(undefined);
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const kept = unsavedOf<EditDraft>(key);
  const draft = kept ?? (begun.value && fresh(begun.value));

  const set = (changed: Partial<EditDraft>) =>
    keepUnsaved(key, { ...unsavedOf<EditDraft>(key) ?? draft!, ...changed });
  const readInto = async (take: (read: ReadTicket) => void) => {
    try {
      take(await readTicket(repo, id));
    } catch (thrown) {
      refusal.value = refusalText(thrown);
    }
  };
  const begin = () =>
    readInto((read) => {
      begun.value = read;
      refusal.value = undefined;
    });
  const save = async (version: string, changed: Readonly<Record<string, string>>) => {
    busy.value = true;
    refusal.value = undefined;
    try {
      const asked = { repo_id: repo, ticket_id: id, version, ...changed };
      const answer = await act("/api/edit-ticket", asked);
      dropUnsaved(key);
      begun.value = undefined;
      notify({ tone: "good", text: savedText(id, answer) });
      refresh();
      leave();
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal && "present" in thrown.raw) {
        await readInto((theirs) => set({ theirs }));
      } else {
        refusal.value = faultOfAct(thrown);
      }
    }
    busy.value = false;
  };
  const saveFields = (from: ReadTicket, typed: TypedFields) => {
    const changed = changedFields(from.fields, typed);
    return save(from.version, Object.fromEntries(changed.map((name) => [name, typed[name]])));
  };
  const settle = (settled: Partial<EditDraft>): ReadTicket => {
    const theirs = draft!.theirs!;
    set({ base: theirs, theirs: undefined, ...settled });
    return theirs;
  };
  useEffect(() => {
    if (kept === undefined) void begin();
  }, [key]);
  return {
    ...{ draft, kept: kept !== undefined, busy: busy.value, refusal: refusal.value },
    begin,
    type: set,
    discard() {
      dropUnsaved(key);
      leave();
    },
    saveText: () => save(draft!.base.version, { text: draft!.text }),
    saveFields: () => saveFields(draft!.base, draft!.fields),
    takeTheirs: () => void settle(fresh(draft!.theirs!)),
    async saveMerged(text) {
      const { version } = settle({ text, fields: draft!.theirs!.fields });
      await save(version, { text });
    },
    async saveMine(taken) {
      const { base, fields, theirs } = draft!;
      const mine = withMine(base.fields, fields, theirs!.fields);
      const their = Object.fromEntries(taken.map((name) => [name, theirs!.fields[name]]));
      const merged = { ...mine, ...their };
      await saveFields(settle({ fields: merged, text: theirs!.text }), merged);
    },
  };
}

function savedText(id: string, answer: Readonly<Record<string, unknown>>): string {
  const { changes, job_id } = answer;
  const saved = Array.isArray(changes) && changes.length === 0
    ? `Nothing in ${id} is different.`
    : `${id} is saved.`;
  return typeof job_id === "string"
    ? `${saved} The job that works on it goes on by the text before.`
    : saved;
}
