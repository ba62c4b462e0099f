/** The dialog that writes a new ticket; what was typed stays when it is closed. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RepoItem } from "svc/runtime/views/repos_view.ts";
import type { TicketTemplates } from "svc/runtime/views/ticket_templates_view.ts";
import { act, read } from "svc/dashboard/state/api.ts";
import { draftOf, dropDraft } from "svc/dashboard/state/drafts.ts";
import { dropUnsaved, keepUnsaved, unsavedOf } from "svc/dashboard/state/unsaved.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { asked, ticketHref } from "svc/dashboard/state/place.ts";
import { refresh, useResource } from "svc/dashboard/state/resource.ts";
import { closeSheet, sheet } from "svc/dashboard/state/sheets.ts";
import { filledFrom, type TypedFields } from "svc/dashboard/state/ticket_fields.ts";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./refusal.tsx";
import { faultOfAct } from "./refusal_text.ts";
import { TicketFields } from "./ticket_fields.tsx";

const KEY = "new ticket";

interface NewDraft {
  readonly repo: string;
  readonly template: string;
  readonly fields: TypedFields;
  readonly text: string;
}

const NOTHING: NewDraft = {
  repo: "",
  template: "",
  fields: {
    ...{ title: "", type: "feature", priority: "p2", role: "engineer" },
    ...{ depends_on: "", acceptance: "" },
  },
  text: "",
};

function useTemplates(repo: string): TicketTemplates["templates"] {
  const templates = useSignal<TicketTemplates["templates"]>([]);
  useEffect(() => {
    let over = false;
    templates.value = [];
    if (repo === "") return;
    read<TicketTemplates>(`/api/ticket-templates?repo_id=${encodeURIComponent(repo)}`).then(
      (found) => {
        if (!over) templates.value = found.templates;
      },
      () => {}, // a ticket can be written without one
    );
    return () => {
      over = true;
    };
  }, [repo]);
  return templates.value;
}

function forget(): void {
  dropUnsaved(KEY);
  dropDraft(KEY);
}

export function NewTicketSheet() {
  const repos = useResource<RepoItem[]>("/api/repos").data.value ?? [];
  const kept = unsavedOf<NewDraft>(KEY);
  const draft = kept ?? NOTHING;
  const known = draft.repo || asked("repo") || asked("repo_id");
  const repo = repos.length === 1 ? repos[0]!.id : known;
  const templates = useTemplates(repo);
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const set = (changed: Partial<NewDraft>) => keepUnsaved(KEY, { ...draft, repo, ...changed });

  const choose = (name: string) => {
    const [before, now] = [draft.template, name].map((one) =>
      templates.find((template) => template.name === one)
    );
    const { fields, text } = filledFrom(draft, before, now);
    set({ template: name, fields, text });
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const { title, type, priority, role, depends_on, acceptance } = draft.fields;
    const more = { depends_on, acceptance, context: draft.text };
    const own = sheet.peek();
    busy.value = true;
    refusal.value = undefined;
    try {
      const answer = await act("/api/create-ticket", {
        ...{ repo_id: repo, title, type, priority, role, request: draftOf(KEY).request },
        ...Object.fromEntries(Object.entries(more).filter(([, value]) => value.trim() !== "")),
      });
      forget();
      closeSheet(own);
      const id = String(answer.ticket_id);
      notify({
        ...{ tone: "good", text: `${id} is written.` },
        link: { href: ticketHref(repo, id), text: "Show it" },
      });
      refresh();
    } catch (thrown) {
      refusal.value = faultOfAct(thrown);
    }
    busy.value = false;
  };

  return (
    <Dialog title="New ticket" wide>
      <form onSubmit={submit}>
        <div class="field-row">
          {repos.length > 1 && (
            <label class="field">
              <span>Repo</span>
              <select
                required
                value={repo}
                onChange={(event) => set({ repo: event.currentTarget.value })}
              >
                <option value="">Choose a repo</option>
                {repos.map(({ id, basename }) => <option key={id} value={id}>{basename}</option>)}
              </select>
            </label>
          )}
          {templates.length > 0 && (
            <label class="field">
              <span>Template</span>
              <select
                value={draft.template}
                onChange={(event) => choose(event.currentTarget.value)}
              >
                <option value="">None</option>
                {templates.map(({ name, about }) => (
                  <option key={name} value={name}>{name}: {about}</option>
                ))}
              </select>
            </label>
          )}
        </div>
        <TicketFields
          repo={repo}
          values={draft.fields}
          onChange={(fields) => set({ fields })}
        />
        <label class="field">
          <span>
            Text <span class="dim">what happens, what should; Markdown</span>
          </span>
          <textarea
            rows={8}
            dir="auto"
            value={draft.text}
            onInput={(event) => set({ text: event.currentTarget.value })}
          />
        </label>
        <Refusal of={refusal.value} />
        <div class="sheet-foot">
          {kept !== undefined && (
            <button
              type="button"
              class="button harsh"
              onClick={() => {
                forget();
                sheet.value = undefined;
              }}
            >
              Discard
            </button>
          )}
          <button type="button" class="button" onClick={() => sheet.value = undefined}>
            {kept === undefined ? "Cancel" : "Keep for later"}
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={busy.value || repo === "" || draft.fields.title.trim() === ""}
          >
            {busy.value ? "Asking…" : "Write the ticket"}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
