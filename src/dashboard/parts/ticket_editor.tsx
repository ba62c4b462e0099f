/** Edits a ticket: its fields, or its whole file; a change by somebody else shows both texts. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { act, readRaw, ServiceRefusal } from "svc/dashboard/state/api.ts";
import { dropUnsaved, editKey, keepUnsaved, unsavedOf } from "svc/dashboard/state/unsaved.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { asked, go, hrefWith } from "svc/dashboard/state/place.ts";
import { refresh } from "svc/dashboard/state/resource.ts";
import {
  changedFields,
  fieldConflicts,
  type TypedFields,
  typedFields,
  withMine,
} from "svc/dashboard/state/ticket_fields.ts";
import type { TicketPage } from "svc/runtime/views/ticket_view.ts";
import { FieldConflicts, TextConflict } from "./edit_conflict.tsx";
import { Section } from "./page.tsx";
import { Refusal } from "./refusal.tsx";
import { faultOfAct, refusalText } from "./refusal_text.ts";
import { TicketFields } from "./ticket_fields.tsx";

/** A ticket's file at one time. */
export interface ReadTicket {
  readonly version: string;
  readonly text: string;
  /** Why only fields can be changed here. */
  readonly fault: string | null;
  readonly fields: TypedFields;
}

interface EditDraft {
  /** What the edit began with. */
  readonly base: ReadTicket;
  readonly fields: TypedFields;
  readonly text: string;
  /** What is in the repo now, where somebody else changed it meanwhile. */
  readonly theirs?: ReadTicket | undefined;
}

const urlOf = (repo: string, id: string) =>
  `/api/ticket?repo_id=${encodeURIComponent(repo)}&id=${encodeURIComponent(id)}`;

async function readTicket(repo: string, id: string): Promise<ReadTicket> {
  const { ticket } = await readRaw<TicketPage>(urlOf(repo, id));
  return {
    version: ticket.version,
    text: ticket.text ?? "",
    fault: ticket.text_fault,
    fields: typedFields(ticket),
  };
}

const fresh = (base: ReadTicket): EditDraft => ({
  ...{ base, fields: base.fields, text: base.text },
});

const leave = () => go(hrefWith({ edit: "" }), "replace");

export function TicketEditor(
  { repo, id, present }: {
    readonly repo: string;
    readonly id: string;
    /** Version of the file now. */
    readonly present: string;
  },
) {
  const key = editKey(repo, id);
  const whole = asked("edit") === "text";
  const begun = useSignal<ReadTicket | undefined>(undefined);
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const kept = unsavedOf<EditDraft>(key);
  const draft = kept ?? (begun.value && fresh(begun.value));
  const begin = async () => {
    try {
      begun.value = await readTicket(repo, id);
      refusal.value = undefined;
    } catch (thrown) {
      refusal.value = refusalText(thrown);
    }
  };
  useEffect(() => {
    if (kept === undefined) void begin();
  }, [key]);
  if (draft === undefined) {
    return (
      <>
        <Refusal of={refusal.value} />
        {refusal.value !== undefined && (
          <button
            type="button"
            class="button"
            onClick={() => void begin()}
          >
            Try again
          </button>
        )}
      </>
    );
  }

  const { base, fields, text, theirs } = draft;
  const fieldsTyped = changedFields(base.fields, fields);
  const textTyped = text !== base.text;
  const set = (changed: Partial<EditDraft>) =>
    keepUnsaved(key, { ...unsavedOf<EditDraft>(key) ?? draft, ...changed });
  const discard = () => {
    dropUnsaved(key);
    leave();
  };

  const save = async (version: string, more: Readonly<Record<string, string>>) => {
    busy.value = true;
    refusal.value = undefined;
    try {
      const answer = await act("/api/edit-ticket", {
        repo_id: repo,
        ticket_id: id,
        version,
        ...more,
      });
      dropUnsaved(key);
      begun.value = undefined;
      const job = typeof answer.job_id === "string";
      const said = Array.isArray(answer.changes) && answer.changes.length === 0
        ? `Nothing in ${id} is different.`
        : `${id} is saved.`;
      notify({
        tone: "good",
        text: job ? `${said} The job that works on it goes on by the text before.` : said,
      });
      refresh();
      leave();
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal && "present" in thrown.raw) await changed();
      else refusal.value = faultOfAct(thrown);
    }
    busy.value = false;
  };
  /** Somebody else saved first. */
  const changed = async () => {
    try {
      set({ theirs: await readTicket(repo, id) });
    } catch (thrown) {
      refusal.value = refusalText(thrown);
    }
  };
  const saveFields = (from: ReadTicket, typed: TypedFields) =>
    save(
      from.version,
      Object.fromEntries(changedFields(from.fields, typed).map((name) => [name, typed[name]])),
    );

  if (theirs !== undefined) {
    const settle = (settled: Partial<EditDraft>) =>
      set({ base: theirs, theirs: undefined, ...settled });
    return (
      <div class="editor">
        <Refusal of={refusal.value} />
        {textTyped
          ? (
            <TextConflict
              base={base.text}
              mine={text}
              theirs={theirs.text}
              busy={busy.value}
              onTheirs={() => settle(fresh(theirs))}
              onSave={(merged) => {
                settle({ text: merged, fields: theirs.fields });
                void save(theirs.version, { text: merged });
              }}
            />
          )
          : (
            <FieldConflicts
              of={fieldConflicts(base.fields, fields, theirs.fields)}
              busy={busy.value}
              onTheirs={() => settle(fresh(theirs))}
              onSave={(taken) => {
                const mine = withMine(base.fields, fields, theirs.fields);
                const typed = Object.fromEntries(taken.map((name) => [name, theirs.fields[name]]));
                const settled = { ...mine, ...typed };
                settle({ fields: settled, text: theirs.text });
                void saveFields(theirs, settled);
              }}
            />
          )}
      </div>
    );
  }
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void (whole ? save(base.version, { text }) : saveFields(base, fields));
      }}
    >
      <nav class="views" aria-label="What is edited">
        <Tab to="fields" name="Fields" here={!whole} shut={textTyped} />
        <Tab
          to="text"
          name="Whole file"
          here={whole}
          shut={fieldsTyped.length > 0 || base.fault !== null}
        />
      </nav>
      {base.fault !== null && <p class="reason">{base.fault}</p>}
      {present !== base.version && (
        <p class="needs" role="status">
          It was changed meanwhile. Go on: when you save, both texts are shown.
        </p>
      )}
      {whole
        ? (
          <Section title="Whole file" note="its keys between the lines ---, then its text">
            <textarea
              class="whole-file"
              aria-label={`The file of ${id}`}
              dir="auto"
              spellcheck={false}
              rows={Math.min(40, Math.max(16, text.split("\n").length + 2))}
              value={text}
              onInput={(event) => set({ text: event.currentTarget.value })}
            />
          </Section>
        )
        : (
          <Section title="Fields">
            <div class="fields">
              <TicketFields
                repo={repo}
                values={fields}
                onChange={(fields) => set({ fields })}
              />
            </div>
          </Section>
        )}
      <Refusal of={refusal.value} />
      <div class="sheet-foot">
        <button type="button" class="button" onClick={discard}>
          {kept === undefined ? "Cancel" : "Discard the edit"}
        </button>
        <button
          type="submit"
          class="button primary"
          disabled={busy.value || (whole ? !textTyped : fieldsTyped.length === 0)}
        >
          {busy.value ? "Asking…" : "Save"}
        </button>
      </div>
    </form>
  );
}

function Tab(
  { to, name, here, shut }: {
    readonly to: string;
    readonly name: string;
    readonly here: boolean;
    readonly shut: boolean;
  },
) {
  if (shut && !here) {
    return <span class="shut" title="Save or discard what you typed first">{name}</span>;
  }
  return <a href={hrefWith({ edit: to })} aria-current={here ? "page" : undefined}>{name}</a>;
}
