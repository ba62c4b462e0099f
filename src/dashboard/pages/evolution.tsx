/** Evolution History: what changed about the agents themselves, and what keeps going wrong. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Evolution } from "svc/runtime/views/evolution_view.ts";
import { Age, Empty, JobLink } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, repoChoices, Search } from "svc/dashboard/parts/filter.tsx";
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { counted, dayName, matches, shortCommit, spoken } from "svc/dashboard/state/words.ts";

const SHADES = 4;
const DAY_MS = 86_400_000;

/** All days from the first to the last, in UTC: those without a failure are columns too. */
function daysOf(of: Evolution["telemetry"]): string[] {
  const times = of.map(({ day }) => Date.parse(day));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return Array.from(
    { length: (last - first) / DAY_MS + 1 },
    (_, nth) => new Date(first + nth * DAY_MS).toISOString().slice(0, 10),
  );
}

/** `27`, and `Nov 27` where a month begins. */
const shortDay = (day: string, nth: number) =>
  nth === 0 || day.endsWith("-01") ? dayName(day) : String(Number(day.slice(8)));

function FailureDays({ of }: { readonly of: Evolution["telemetry"] }) {
  const frame = useRef<HTMLDivElement>(null);
  // Where not all have room, those of today do.
  useLayoutEffect(() => frame.current?.scrollTo({ left: frame.current.scrollWidth }), []);
  if (of.length === 0) return <p class="dim">No failure was counted.</p>;
  const days = daysOf(of);
  const categories = [...new Set(of.map(({ category }) => category))].sort();
  const most = Math.max(...of.map(({ count }) => count));
  const countOf = (day: string, category: string) =>
    of.find((one) => one.day === day && one.category === category)?.count ?? 0;
  return (
    <div ref={frame} class="days-frame" role="group" aria-label="Failures by day" tabIndex={0}>
      <table class="days">
        <thead>
          <tr>
            <th scope="col">Category</th>
            {days.map((day, nth) => (
              <th key={day} scope="col">
                <span class="sr">{day}</span>
                <span aria-hidden="true">{shortDay(day, nth)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category) => (
            <tr key={category}>
              <th scope="row">{spoken(category)}</th>
              {days.map((day) => {
                const count = countOf(day, category);
                const shade = count === 0 ? 0 : Math.ceil(count / most * SHADES);
                return (
                  <td key={day} title={`${counted(count, "failure")} on ${day}`}>
                    <span class={`shade shade-${shade}`}>
                      {count === 0 ? <span class="sr">0</span> : count}
                    </span>
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Patterns({ of }: { readonly of: Evolution["patterns"] }) {
  if (of.length === 0) {
    return <p class="dim">No failure has come back often enough to be a pattern.</p>;
  }
  return (
    <ul class="patterns">
      {of.map((
        { key, role, repo, category, signature, count, first_at, last_at, last_job, advice },
      ) => (
        <li key={key} class="pattern" data-item>
          <span class="pattern-count">{count}×</span>
          <div>
            <p class="card-title">
              {role} on {repo}: {spoken(category)}
            </p>
            <p class="mono signature">{signature}</p>
            <p class="card-action">{advice}</p>
            <p class="card-about">
              <span>
                first <Age at={first_at} />
              </span>
              <span>
                last <Age at={last_at} />
              </span>
              <span>
                last job <JobLink id={last_job} />
              </span>
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

function History({ of }: { readonly of: Evolution["evolutions"] }) {
  return (
    <ol class="history">
      {of.map(({ at, kind, repo, role, what, who, reason, evidence }, nth) => (
        <li key={`${at} ${nth}`} data-item>
          <Age at={at} />
          <span class={`tag kind-${kind}`}>{kind}</span>
          <div>
            <p>{what}</p>
            {reason !== null && <p class="dim">{reason}</p>}
            <p class="card-about">
              <span>{repo}</span>
              {role !== null && <span>{role}</span>}
              <span>by {who}</span>
              {evidence !== null && <span class="mono">{shortCommit(evidence)}</span>}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function Body({ of }: { readonly of: Evolution }) {
  const [query, repo, kind] = [asked("q"), asked("repo"), asked("kind")];
  const kinds = [...new Set(of.evolutions.map((one) => one.kind))].sort();
  const history = of.evolutions.filter((one) =>
    (repo === "" || one.repo_id === repo) && (kind === "" || one.kind === kind) &&
    matches(query, one.what, one.who, one.reason, one.role, one.repo, one.evidence)
  );
  const patterns = of.patterns.filter((one) =>
    (repo === "" || one.repo_id === repo) &&
    matches(query, one.role, one.repo, one.category, one.signature, one.advice)
  );
  return (
    <>
      <FilterBar>
        <Search label="Filter history" />
        <Choose
          name="kind"
          label="Kind"
          all="All kinds"
          choices={kinds.map((value) => ({ value, text: value }))}
        />
        <Choose
          name="repo"
          label="Repo"
          all="All repos"
          choices={repoChoices([...of.evolutions, ...of.patterns])}
        />
      </FilterBar>
      <div class="split even">
        <div class="split-main">
          <Section title="History" note={counted(history.length, "change")}>
            {of.evolutions.length === 0
              ? (
                <Empty title="Nothing has changed yet">
                  Changes of trust, tools, harness and scores appear here with their reason.
                </Empty>
              )
              : history.length === 0
              ? <NoMatch />
              : <History of={history} />}
          </Section>
        </div>
        <div class="split-side">
          <Section title="Keeps going wrong" note={counted(patterns.length, "pattern")}>
            <Patterns of={patterns} />
          </Section>
          <Section title="Failures by day">
            <FailureDays of={of.telemetry} />
          </Section>
        </div>
      </div>
    </>
  );
}

export function EvolutionPage() {
  const evolution = useResource<Evolution>("/api/evolution");
  return (
    <Page
      title="Evolution History"
      of={evolution}
      lead="How trust, tools and harness changed, and which failures return"
    >
      {(of) => <Body of={of} />}
    </Page>
  );
}
