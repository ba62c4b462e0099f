/** What a node can do, and what a role needs of one: words such as `tag:gpu` and `model:qwen3-coder`. Pure. */

/** A tag is a word that people agree on; a model is named as routes name it. */
export const ABILITY = /^(?:tag:[A-Za-z0-9][A-Za-z0-9._-]{0,62}|model:[^\s,]{1,200})$/;

/** The tag alone, as a config lists it. */
export const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

interface NodeSettings {
  readonly node: { readonly tags: readonly string[]; readonly models: readonly string[] };
  readonly models: { readonly default?: { readonly model?: string | undefined } | undefined };
}

/** As the config of its user says. */
export function abilitiesOf({ node: { tags, models }, models: { default: usual } }: NodeSettings) {
  const named = usual?.model === undefined ? models : [...models, usual.model];
  const all = [...tags.map((tag) => `tag:${tag}`), ...named.map((model) => `model:${model}`)];
  return [...new Set(all)].sort();
}

/** A stored JSON array, of a job's `needs` or a node's `abilities`. */
export const abilitiesIn = (stored: string | null): readonly string[] =>
  stored === null ? [] : JSON.parse(stored) as string[];

/** Those that the node lacks. */
export function lacking(needs: string | null, abilities: readonly string[]): string[] {
  return abilitiesIn(needs).filter((need) => !abilities.includes(need));
}
