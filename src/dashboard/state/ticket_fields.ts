/** The fields of a ticket as a person types them, and what of them has changed. Pure. */

export interface TypedFields {
  readonly title: string;
  readonly type: string;
  readonly priority: string;
  readonly role: string;
  /** Ids, parted by spaces or commas. */
  readonly depends_on: string;
  /** One a line. */
  readonly acceptance: string;
}

export const FIELD_LABELS: Readonly<Record<keyof TypedFields, string>> = {
  title: "Title",
  type: "Type",
  priority: "Priority",
  role: "Role",
  depends_on: "Depends on",
  acceptance: "Done when",
};

const NAMES = Object.keys(FIELD_LABELS) as readonly (keyof TypedFields)[];

interface StoredFields {
  readonly title: string;
  readonly type: string;
  readonly priority: string;
  readonly role: string | null;
  readonly depends_on: readonly string[];
  readonly acceptance: readonly string[];
}

export const typedFields = (of: StoredFields): TypedFields => ({
  title: of.title,
  type: of.type,
  priority: of.priority,
  role: of.role ?? "",
  depends_on: of.depends_on.join(", "),
  acceptance: of.acceptance.join("\n"),
});

/** Lists are compared by what they hold, not by how they are typed. */
export const idsIn = (text: string) => text.split(/[\s,]+/).filter((id) => id !== "");
export const linesIn = (text: string) =>
  text.split("\n").map((line) => line.trim()).filter((line) => line !== "");

const valueOf = (fields: TypedFields, name: keyof TypedFields): string =>
  name === "depends_on"
    ? idsIn(fields.depends_on).join(", ")
    : name === "acceptance"
    ? linesIn(fields.acceptance).join("\n")
    : fields[name].trim();

export function changedFields(
  before: TypedFields,
  now: TypedFields,
): readonly (keyof TypedFields)[] {
  return NAMES.filter((name) => valueOf(before, name) !== valueOf(now, name));
}

export interface FieldConflict {
  readonly name: keyof TypedFields;
  readonly mine: string;
  readonly theirs: string;
}

/** What both changed, to different things. */
export function fieldConflicts(
  base: TypedFields,
  mine: TypedFields,
  theirs: TypedFields,
): readonly FieldConflict[] {
  const other = new Set(changedFields(base, theirs));
  return changedFields(base, mine)
    .map((name) => ({ name, mine: valueOf(mine, name), theirs: valueOf(theirs, name) }))
    .filter((one) => other.has(one.name) && one.mine !== one.theirs);
}

/** What they wrote, with what I changed on top. */
export function withMine(base: TypedFields, mine: TypedFields, theirs: TypedFields): TypedFields {
  const own = changedFields(base, mine).map((name) => [name, mine[name]]);
  return { ...theirs, ...Object.fromEntries(own) };
}

interface TemplateFields extends Partial<Omit<StoredFields, "depends_on">> {
  readonly text: string;
}

interface FilledForm {
  readonly fields: TypedFields;
  readonly text: string;
}

/** What another template says, where nothing but the template before was there. */
export function filledFrom(
  { fields, text }: FilledForm,
  before: TemplateFields | undefined,
  now: TemplateFields | undefined,
): FilledForm {
  const fill = (typed: string, old: string | undefined, fresh: string | undefined) =>
    typed.trim() === (old ?? "").trim() ? fresh ?? "" : typed;
  const lines = (of: TemplateFields | undefined) => of?.acceptance?.join("\n");
  return {
    fields: {
      ...fields,
      title: fill(fields.title, before?.title, now?.title),
      type: now?.type ?? fields.type,
      priority: now?.priority ?? fields.priority,
      role: now?.role ?? fields.role,
      acceptance: fill(fields.acceptance, lines(before), lines(now)),
    },
    text: fill(text, before?.text, now?.text),
  };
}
