/** The fields of a ticket as a form: of a new one, and of one that is edited. */
import { useRoles } from "svc/dashboard/state/resource.ts";
import type { TypedFields } from "svc/dashboard/state/ticket_fields.ts";
import { FIELD_LABELS } from "svc/dashboard/state/ticket_fields.ts";
import { PRIORITIES, TICKET_TYPES } from "svc/dashboard/state/ticket_moves.ts";

interface FieldsProps {
  /** "" until one is chosen. */
  readonly repo: string;
  readonly values: TypedFields;
  onChange(values: TypedFields): void;
}

export function TicketFields({ repo, values, onChange }: FieldsProps) {
  const roles = useRoles(repo);
  const named = roles.data.value ?? [];
  const names = named.includes(values.role) || values.role === "" ? named : [values.role, ...named];
  const set = (name: keyof TypedFields) => (event: { currentTarget: { value: string } }) =>
    onChange({ ...values, [name]: event.currentTarget.value });
  const choice = (name: "type" | "priority", all: readonly string[]) => (
    <label class="field">
      <span>{FIELD_LABELS[name]}</span>
      <select value={values[name]} onChange={set(name)}>
        {all.map((value) => <option key={value} value={value}>{value}</option>)}
      </select>
    </label>
  );
  return (
    <>
      <label class="field">
        <span>{FIELD_LABELS.title}</span>
        <input
          type="text"
          dir="auto"
          autofocus
          required
          value={values.title}
          onInput={set("title")}
        />
      </label>
      <div class="field-row">
        {choice("type", TICKET_TYPES)}
        {choice("priority", PRIORITIES)}
        <label class="field">
          <span>{FIELD_LABELS.role}</span>
          <select value={values.role} required onChange={set("role")}>
            <option value="">Choose a role</option>
            {names.map((value) => <option key={value} value={value}>{value}</option>)}
          </select>
        </label>
      </div>
      <label class="field">
        <span>
          {FIELD_LABELS.depends_on} <span class="dim">ids such as T-0007; it waits for these</span>
        </span>
        <input
          type="text"
          spellcheck={false}
          autocapitalize="off"
          value={values.depends_on}
          onInput={set("depends_on")}
        />
      </label>
      <label class="field">
        <span>
          {FIELD_LABELS.acceptance} <span class="dim">one thing a line</span>
        </span>
        <textarea rows={4} dir="auto" value={values.acceptance} onInput={set("acceptance")} />
      </label>
    </>
  );
}
