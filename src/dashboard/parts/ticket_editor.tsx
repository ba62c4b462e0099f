/** Edits a ticket: its fields, or its whole file; a change by somebody else shows both texts. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { asked, hrefWith } from "svc/dashboard/state/place.ts";
import { changedFields, fieldConflicts } from "svc/dashboard/state/ticket_fields.ts";
import { FieldConflicts, TextConflict } from "./edit_conflict.tsx";
import { Section } from "./page.tsx";
import { Refusal } from "./refusal.tsx";
import { type EditDraft, type ReadTicket, type TicketEdit, useTicketEdit } from "./ticket_edit.ts";
import { TicketFields } from "./ticket_fields.tsx";

export function TicketEditor(
  { repo, id, present }: {
    readonly repo: string;
    readonly id: string;
    /** Version of the file now. */
    readonly present: string;
  },
) {
  const edit = useTicketEdit(repo, id);
  const { draft } = edit;
  if (draft === undefined) return <Unread edit={edit} />;
  const { theirs } = draft;
  return theirs === undefined
    ? <EditForm {...{ repo, id, present, edit, draft }} />
    : <Conflict edit={edit} draft={{ ...draft, theirs }} />;
}

function Unread({ edit }: { readonly edit: TicketEdit }) {
  return (
    <>
      <Refusal of={edit.refusal} />
      {edit.refusal !== undefined && (
        <button
          type="button"
          class="button"
          onClick={() => void edit.begin()}
        >
          Try again
        </button>
      )}
    </>
  );
}

function Conflict(
  { edit, draft }: {
    readonly edit: TicketEdit;
    readonly draft: EditDraft & { readonly theirs: ReadTicket };
  },
) {
  const { base, fields, text, theirs } = draft;
  return (
    <div class="editor">
      <Refusal of={edit.refusal} />
      {text === base.text
        ? (
          <FieldConflicts
            of={fieldConflicts(base.fields, fields, theirs.fields)}
            busy={edit.busy}
            onTheirs={edit.takeTheirs}
            onSave={(taken) => void edit.saveMine(taken)}
          />
        )
        : (
          <TextConflict
            base={base.text}
            mine={text}
            theirs={theirs.text}
            busy={edit.busy}
            onTheirs={edit.takeTheirs}
            onSave={(merged) => void edit.saveMerged(merged)}
          />
        )}
    </div>
  );
}

function EditForm(
  { repo, id, present, edit, draft }: {
    readonly repo: string;
    readonly id: string;
    readonly present: string;
    readonly edit: TicketEdit;
    readonly draft: EditDraft;
  },
) {
  const { base, fields, text } = draft;
  const form = useRef<HTMLFormElement>(null);
  // The button that led here is gone.
  useLayoutEffect(() => form.current!.querySelector<HTMLElement>("input, textarea")?.focus(), []);
  const whole = asked("edit") === "text";
  const fieldsTyped = changedFields(base.fields, fields).length > 0;
  const textTyped = text !== base.text;
  return (
    <form
      ref={form}
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void (whole ? edit.saveText() : edit.saveFields());
      }}
    >
      <nav class="views" aria-label="What is edited">
        <Tab to="fields" name="Fields" here={!whole} shut={textTyped} />
        <Tab to="text" name="Whole file" here={whole} shut={fieldsTyped || base.fault !== null} />
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
              onInput={(event) => edit.type({ text: event.currentTarget.value })}
            />
          </Section>
        )
        : (
          <Section title="Fields">
            <div class="fields">
              <TicketFields
                repo={repo}
                values={fields}
                onChange={(fields) => edit.type({ fields })}
              />
            </div>
          </Section>
        )}
      <Refusal of={edit.refusal} />
      <div class="sheet-foot">
        <button type="button" class="button" onClick={edit.discard}>
          {edit.kept ? "Discard the edit" : "Cancel"}
        </button>
        <button
          type="submit"
          class="button primary"
          disabled={edit.busy || !(whole ? textTyped : fieldsTyped)}
        >
          {edit.busy ? "Asking…" : "Save"}
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
