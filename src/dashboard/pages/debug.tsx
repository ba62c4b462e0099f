/** Debug: jobs, events, webhooks, refused tools, errors and paused lanes. */
import type { Debug } from "svc/runtime/views/debug_view.ts";
import type { EventItem } from "svc/runtime/views/event_item.ts";
import type { RepoItem } from "svc/runtime/views/repos_view.ts";
import { Age, Empty, JobLink } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, Search, Views } from "svc/dashboard/parts/filter.tsx";
import { JobList, jobMatches } from "svc/dashboard/parts/job_list.tsx";
import { JobPages } from "svc/dashboard/parts/job_pages.tsx";
import { Page } from "svc/dashboard/parts/page.tsx";
import { DenialTable, WebhookTable } from "svc/dashboard/parts/debug_tables.tsx";
import { WindowList } from "svc/dashboard/parts/window_list.tsx";
import { now } from "svc/dashboard/state/clock.ts";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { clockTime, exact, matches, spoken } from "svc/dashboard/state/words.ts";

const HEIGHTS = { wide: 30, phone: 52 };

/** Names of repos by id; empty where there is one alone. */
type RepoNames = ReadonlyMap<string, string>;

function useRepoNames(): RepoNames {
  const repos = useResource<RepoItem[]>("/api/repos").data.value ?? [];
  return new Map(repos.length > 1 ? repos.map(({ id, basename }) => [id, basename]) : []);
}

const repoOf = ({ repo_id: id }: EventItem, names: RepoNames): string | undefined =>
  id === null ? undefined : names.get(id);

const eventMatches = (query: string, event: EventItem, names: RepoNames): boolean =>
  matches(query, event.type, event.job_id, repoOf(event, names), JSON.stringify(event.data));

/** Ids that the row links to or that mean nothing to a person. */
const HIDDEN_IDS = ["id", "repo_id", "job_id"];

const shown = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
    ? value.map(shown).join(", ")
    : JSON.stringify(value);

/** Ids of tickets are alike in several repos. */
function eventWords(event: EventItem, names: RepoNames): string {
  const said = Object.entries(event.data).filter(([name, value]) =>
    value !== null && !HIDDEN_IDS.includes(name)
  );
  return [
    repoOf(event, names),
    ...said.map(([name, value]) => `${spoken(name)} ${shown(value)}`),
  ].filter((part) => part !== undefined).join(" · ");
}

function EventList(
  { events, names }: { readonly events: readonly EventItem[]; readonly names: RepoNames },
) {
  return (
    <WindowList items={events} heights={HEIGHTS} keyOf={({ id }) => String(id)}>
      {(event) => (
        <div class="event-row" data-item>
          <time dateTime={event.at} title={exact(Date.parse(event.at))}>
            {clockTime(Date.parse(event.at), now.value)}
          </time>
          <span class="event-type">{spoken(event.type)}</span>
          <span class="event-data" title={eventWords(event, names)}>
            {eventWords(event, names)}
          </span>
          {event.job_id !== null ? <JobLink id={event.job_id} /> : <span />}
        </div>
      )}
    </WindowList>
  );
}

function Timeline({ of }: { readonly of: Debug }) {
  const names = useRepoNames();
  const types = [...new Set(of.timeline.map(({ type }) => type))].sort();
  const events = of.timeline.filter((event) =>
    (asked("type") === "" || event.type === asked("type")) && eventMatches(asked("q"), event, names)
  );
  if (of.timeline.length === 0) {
    return (
      <Empty title="Nothing has happened yet">
        Events come with the first job, webhook or schedule.
      </Empty>
    );
  }
  return (
    <>
      <FilterBar>
        <Search label="Filter events" />
        <Choose
          name="type"
          label="Type"
          all="All types"
          choices={types.map((value) => ({ value, text: value }))}
        />
      </FilterBar>
      {events.length === 0 ? <NoMatch /> : <EventList events={events} names={names} />}
    </>
  );
}

function Webhooks({ of }: { readonly of: Debug }) {
  const outcomes = [...new Set(of.webhooks.map(({ outcome }) => outcome))].sort();
  const hooks = of.webhooks.filter((hook) =>
    (asked("outcome") === "" || hook.outcome === asked("outcome")) &&
    matches(asked("q"), hook.source, hook.id, hook.event, hook.subject, hook.outcome, hook.reason)
  );
  if (of.webhooks.length === 0) {
    return (
      <Empty title="No webhook was received">
        Point the code host at the control address; <code>docs/webhooks.md</code> says how.
      </Empty>
    );
  }
  return (
    <>
      <p class="note">
        {of.wishes.waiting} waiting to be acted on
        {of.wishes.failing > 0 && <span class="bad-word">, {of.wishes.failing} failing</span>}
      </p>
      <FilterBar>
        <Search label="Filter webhooks" />
        <Choose
          name="outcome"
          label="Outcome"
          all="All outcomes"
          choices={outcomes.map((value) => ({ value, text: value }))}
        />
      </FilterBar>
      {hooks.length === 0 ? <NoMatch /> : <WebhookTable of={hooks} />}
    </>
  );
}

function Errors({ of }: { readonly of: Debug }) {
  const jobs = of.errors.filter((job) => jobMatches(asked("q"), job));
  if (of.errors.length === 0) {
    return <Empty title="No job has failed">There is nothing to mend here.</Empty>;
  }
  return (
    <>
      <FilterBar>
        <Search label="Filter errors" />
      </FilterBar>
      {jobs.length === 0 ? <NoMatch /> : <JobList jobs={jobs} />}
    </>
  );
}

function Denials({ of }: { readonly of: Debug }) {
  const denials = of.denials.filter((one) =>
    matches(asked("q"), one.role, one.tool, one.part, one.reason)
  );
  if (of.denials.length === 0) {
    return (
      <Empty title="No tool was refused">
        Every call was within profile, trust and guardrails.
      </Empty>
    );
  }
  return (
    <>
      <FilterBar>
        <Search label="Filter refused calls" />
      </FilterBar>
      {denials.length === 0 ? <NoMatch /> : <DenialTable of={denials} />}
    </>
  );
}

function Lanes({ of }: { readonly of: Debug }) {
  if (of.lanes.length === 0) {
    return (
      <Empty title="No lane is held back">Each role of each repo may begin its next job.</Empty>
    );
  }
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Lane</th>
          <th scope="col">Why</th>
          <th scope="col">Since</th>
        </tr>
      </thead>
      <tbody>
        {of.lanes.map(({ lane, reason, since }) => (
          <tr key={lane}>
            <th scope="row" class="mono">{lane}</th>
            <td data-label="Why" class="wrap">{reason}</td>
            <td data-label="Since">
              <Age at={since} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Jobs() {
  const repos = useResource<RepoItem[]>("/api/repos").data.value ?? [];
  return <JobPages repos={repos.map(({ id, basename }) => ({ value: id, text: basename }))} />;
}

const BODIES: Readonly<Record<string, (props: { of: Debug }) => preact.JSX.Element>> = {
  timeline: Timeline,
  jobs: Jobs,
  webhooks: Webhooks,
  errors: Errors,
  denials: Denials,
  lanes: Lanes,
};

export function DebugPage() {
  const debug = useResource<Debug>("/api/debug");
  const of = debug.data.value;
  const view = asked("view") || "timeline";
  return (
    <Page
      title="Debug"
      of={debug}
      lead={of !== undefined && (
        <>
          Log of this run: <code>{of.logs}/{of.log}</code>
        </>
      )}
    >
      {(of) => {
        const Shown = BODIES[view] ?? Timeline;
        return (
          <>
            <Views
              name="view"
              views={[
                { value: "timeline", text: "Timeline" },
                { value: "jobs", text: "Jobs and traces" },
                { value: "webhooks", text: "Webhooks", count: of.webhooks.length },
                { value: "errors", text: "Errors", count: of.errors.length },
                { value: "denials", text: "Refused tools", count: of.denials.length },
                { value: "lanes", text: "Held lanes", count: of.lanes.length },
              ]}
            />
            <Shown key={view} of={of} />
          </>
        );
      }}
    </Page>
  );
}
