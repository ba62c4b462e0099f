/** The dialog of a control: what it does, on what, the confirmation, and the reason of a refusal. */
import { useSignal } from "@preact/signals";
import type { StatusAnswer } from "svc/runtime/views/status_view.ts";
import type { RepoItem } from "svc/runtime/views/repos_view.ts";
import { type ControlKey, CONTROLS, perform } from "svc/dashboard/state/controls.ts";
import { draftOf, dropDraft, keepDraft } from "svc/dashboard/state/drafts.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { refresh, useResource, useRoles } from "svc/dashboard/state/resource.ts";
import { closeSheet, openControl, sheet } from "svc/dashboard/state/sheets.ts";
import { pausedNow } from "svc/dashboard/state/shortcuts.ts";
import { Keys } from "./facts.tsx";
import { Dialog } from "./dialog.tsx";
import { NodeControls } from "./node_list.tsx";
import { Refusal } from "./refusal.tsx";
import { faultOfAct } from "./refusal_text.ts";

/** The service takes no more of an answer or a note. */
const PERSON_CHARS = 4_000;
/** The same of why a job is ended, or a node is held. */
const REASON_CHARS = 500;

function RolePick(
  { repo, value, onPick }: { repo: string; value: string; onPick: (role: string) => void },
) {
  const roles = useRoles(repo);
  const names = roles.data.value ?? [];
  return (
    <label class="field">
      <span>Role</span>
      <select
        autofocus
        value={value}
        required
        onChange={(event) => onPick(event.currentTarget.value)}
      >
        <option value="">Choose a role</option>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
      {roles.fault.value !== undefined && <span class="bad-word">{roles.fault.value}</span>}
    </label>
  );
}

export function ControlSheet(
  { of, given, question }: {
    readonly of: ControlKey;
    readonly given: Readonly<Record<string, string>>;
    readonly question: string | undefined;
  },
) {
  const control = CONTROLS[of];
  const repos = useResource<RepoItem[]>("/api/repos");
  const list = repos.data.value ?? [];
  const draft = control.writes === undefined
    ? undefined
    // Ids of tickets are alike in several repos.
    : [of, given.repo_id ?? "", given.ticket_id ?? given.job_id ?? given.node ?? ""].join("/");
  const before = draft === undefined ? {} : draftOf(draft).values;
  const values = useSignal<Readonly<Record<string, string>>>({ ...before, ...given });
  const busy = useSignal(false);
  const refusal = useSignal<string | undefined>(undefined);
  const needs = (name: (typeof control.needs)[number]) => control.needs.includes(name);
  const repo = values.value.repo_id ?? (list.length === 1 ? list[0]!.id : "");
  const body = needs("repo_id") ? { ...values.value, repo_id: repo } : values.value;
  const ready = control.needs.every((name) => (body[name] ?? "") !== "");

  const subject = given.node ?? given.ticket_id;

  const submit = async (event: Event) => {
    event.preventDefault();
    const own = sheet.peek();
    busy.value = true;
    refusal.value = undefined;
    try {
      const answer = await perform(control, body);
      if (draft !== undefined) dropDraft(draft);
      closeSheet(own);
      notify({ tone: "good", ...control.done(answer, body) });
      refresh();
    } catch (thrown) {
      refusal.value = faultOfAct(thrown);
    }
    busy.value = false;
  };

  return (
    <Dialog title={control.name}>
      <form onSubmit={submit}>
        {subject !== undefined && <p class="sheet-subject">{subject}</p>}
        {question !== undefined && <p class="question-asked">{question}</p>}
        <p>{control.about}</p>
        {needs("repo_id") && given.repo_id === undefined && (
          <label class="field">
            <span>Repo</span>
            <select
              autofocus
              required
              value={repo}
              onChange={(event) => {
                values.value = { repo_id: event.currentTarget.value };
              }}
            >
              <option value="">Choose a repo</option>
              {list.map(({ id, basename }) => <option key={id} value={id}>{basename}</option>)}
            </select>
          </label>
        )}
        {needs("role") && repo !== "" && (
          <RolePick
            repo={repo}
            value={values.value.role ?? ""}
            onPick={(role) => values.value = { ...values.value, repo_id: repo, role }}
          />
        )}
        {control.writes !== undefined && (
          <label class="field">
            <span>{control.writes.label}</span>
            <textarea
              autofocus
              rows={control.writes.field === "reason" ? 2 : 5}
              required={control.writes.field !== "reason"}
              maxLength={control.writes.field === "reason" ? REASON_CHARS : PERSON_CHARS}
              value={values.value[control.writes.field] ?? ""}
              onInput={(event) => {
                const field = control.writes!.field;
                values.value = { ...values.value, [field]: event.currentTarget.value };
                if (draft !== undefined) keepDraft(draft, { [field]: event.currentTarget.value });
              }}
            />
          </label>
        )}
        <Refusal of={refusal.value} />
        <div class="sheet-foot">
          <button type="button" class="button" onClick={() => sheet.value = undefined}>
            Cancel
          </button>
          <button
            type="submit"
            class={control.harsh === true ? "button harsh" : "button primary"}
            disabled={busy.value || !ready}
          >
            {busy.value ? "Asking…" : control.verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

export function AllControls() {
  const { nodes = [] } =
    useResource<Partial<StatusAnswer>>("/api/status", { open: true }).data.value ??
      {};
  const keys: ControlKey[] = [
    pausedNow.value ? "resume" : "pause",
    "run-role",
    "scan",
    "restart",
    "stop",
    "emergency-stop",
  ];
  return (
    <Dialog title="Controls" wide>
      <ul class="controls">
        {keys.map((key) => {
          const { name, about, harsh, shortcut } = CONTROLS[key];
          return (
            <li key={key}>
              <button
                type="button"
                class={harsh === true ? "control harsh-word" : "control"}
                onClick={() => openControl(key)}
              >
                <span class="control-name">
                  {name}
                  {shortcut !== undefined && <Keys keys={[shortcut]} />}
                </span>
                <span class="control-about">{about}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {nodes.length > 0 && (
        <section aria-label="Nodes">
          <p class="dim">Pause and Resume, above, are those of all nodes. One of them alone:</p>
          <ul class="checks">
            {nodes.map((node) => (
              <li key={node.id}>
                <strong>{node.name}</strong>
                <span class="dim">{node.condition}</span>
                <NodeControls of={node} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}
