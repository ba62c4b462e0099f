/** Stored events as a timeline. */
import type { EventItem } from "svc/runtime/views/event_item.ts";
import { clockTime, exact, matches, spoken } from "svc/dashboard/state/words.ts";
import { JobLink } from "./facts.tsx";
import { WindowList } from "./window_list.tsx";

const HEIGHTS = { wide: 30, phone: 52 };

export const eventMatches = (query: string, event: EventItem): boolean =>
  matches(query, event.type, event.job_id, JSON.stringify(event.data));

/** Ids that the row has a link for, or that say nothing to a person. */
const UNSAID = ["id", "repo_id", "job_id"];

const shown = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
    ? value.map(shown).join(", ")
    : JSON.stringify(value);

/** What an event holds, in one line. */
function words(data: EventItem["data"]): string {
  const said = Object.entries(data).filter(([name, value]) =>
    value !== null && !UNSAID.includes(name)
  );
  return said.map(([name, value]) => `${spoken(name)} ${shown(value)}`).join(" · ");
}

export function EventList({ events }: { readonly events: readonly EventItem[] }) {
  return (
    <WindowList items={events} heights={HEIGHTS} keyOf={({ id }) => String(id)}>
      {(event) => (
        <div class="event-row" data-item>
          <time dateTime={event.at} title={exact(Date.parse(event.at))}>
            {clockTime(Date.parse(event.at))}
          </time>
          <span class="event-type">{spoken(event.type)}</span>
          <span class="event-data" title={words(event.data)}>{words(event.data)}</span>
          {event.job_id !== null ? <JobLink id={event.job_id} /> : <span />}
        </div>
      )}
    </WindowList>
  );
}
