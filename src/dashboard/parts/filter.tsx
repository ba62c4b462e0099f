/** A filter bar whose values are kept in the address. */
import type { ComponentChildren } from "preact";
import { ask, asked, hrefWith } from "svc/dashboard/state/place.ts";

export function Search({ label = "Filter" }: { readonly label?: string }) {
  return (
    <label class="search">
      <span class="sr">{label}</span>
      <input
        type="search"
        name="q"
        placeholder={`${label}  /`}
        value={asked("q")}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => ask({ q: event.currentTarget.value })}
      />
    </label>
  );
}

interface Choice {
  readonly value: string;
  readonly text: string;
}

export function Choose(
  { name, label, all, choices }: {
    readonly name: string;
    readonly label: string;
    readonly all: string;
    readonly choices: readonly Choice[];
  },
) {
  if (choices.length < 2 && asked(name) === "") return null;
  return (
    <label class="choose">
      <span class="sr">{label}</span>
      <select
        name={name}
        value={asked(name)}
        onChange={(event) => ask({ [name]: event.currentTarget.value })}
      >
        <option value="">{all}</option>
        {choices.map(({ value, text }) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
}

export function Views(
  { name, views, label = "Views", keep = false }: {
    readonly name: string;
    readonly label?: string;
    /** What was searched stays: the views show the same things. */
    readonly keep?: boolean;
    readonly views: readonly (Choice & { readonly count?: number })[];
  },
) {
  const now = asked(name) || views[0]!.value;
  return (
    <nav class="views" aria-label={label}>
      {views.map(({ value, text, count }, at) => (
        <a
          key={value}
          href={hrefWith({ [name]: at === 0 ? "" : value, ...(!keep && { q: "" }) })}
          aria-current={value === now ? "page" : undefined}
        >
          {text}
          {count !== undefined && <span class="count">{count}</span>}
        </a>
      ))}
    </nav>
  );
}

/** @param label where it searches nothing: what it chooses */
export function FilterBar(
  { label, children }: { readonly label?: string; readonly children: ComponentChildren },
) {
  const role = label === undefined ? "search" : "group";
  return <div class="filters" role={role} aria-label={label}>{children}</div>;
}

const CLEARED = {
  q: "",
  repo: "",
  zone: "",
  state: "",
  priority: "",
  role: "",
  status: "",
  kind: "",
  outcome: "",
  type: "",
};

/** @param more another place to look */
export function NoMatch({ more }: { readonly more?: ComponentChildren }) {
  return (
    <p class="empty">
      Nothing matches this filter. {more !== undefined && <>{more} or{" "}</>}
      <a href={hrefWith(CLEARED)}>Show everything</a>
    </p>
  );
}

export const repoChoices = (
  repos: readonly { readonly repo_id: string; readonly repo: string }[],
) =>
  [...new Map(repos.map(({ repo_id, repo }) => [repo_id, repo]))]
    .map(([value, text]) => ({ value, text }))
    .sort((a, b) => a.text.localeCompare(b.text));
