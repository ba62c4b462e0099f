/** What a person has typed into a dialog and not sent: it outlives a lost connection and a closed dialog. */

interface Draft {
  readonly values: Readonly<Record<string, string>>;
  /** Names the act: sent again under the same name, it is done once. */
  readonly request: string;
}

const drafts = new Map<string, Draft>();

export function draftOf(key: string): Draft {
  const known = drafts.get(key);
  if (known !== undefined) return known;
  const fresh = { values: {}, request: crypto.randomUUID() };
  drafts.set(key, fresh);
  return fresh;
}

export function keepDraft(key: string, values: Readonly<Record<string, string>>): void {
  drafts.set(key, { ...draftOf(key), values });
}

/** Its name stands for another act: what was typed is an act of its own from now on. */
export function renameDraft(key: string): void {
  drafts.set(key, { ...draftOf(key), request: crypto.randomUUID() });
}

export function dropDraft(key: string): void {
  drafts.delete(key);
}

/** Whether anything is typed in any of them. */
export function hasDrafts(): boolean {
  return [...drafts.values()].some(({ values }) => Object.values(values).some(Boolean));
}

export function forgetDrafts(): void {
  drafts.clear();
}
