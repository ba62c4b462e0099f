/** All jobs of the database: the service sends 100 at a time, and older ones as the reader scrolls to them. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { Jobs } from "svc/runtime/views/jobs_view.ts";
import { read } from "svc/dashboard/state/api.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { asked } from "svc/dashboard/state/place.ts";
import { counted } from "svc/dashboard/state/words.ts";
import { Choose, FilterBar, NoMatch, Search } from "./filter.tsx";
import { Empty } from "./facts.tsx";
import { Loading } from "./page.tsx";
import { JobList } from "./job_list.tsx";

const STATUSES = ["pending", "running", "completed", "failed"];

function joined(newest: readonly JobItem[], older: readonly JobItem[]): JobItem[] {
  const seen = new Set(newest.map(({ id }) => id));
  return [...newest, ...older.filter(({ id }) => !seen.has(id))];
}

/** So long after the last letter of a search it is asked for. */
const CALM_MS = 200;

/** The value once it has stayed the same for a moment. */
function useCalm(value: string): string {
  const calm = useSignal(value);
  useEffect(() => {
    const soon = setTimeout(() => calm.value = value, CALM_MS);
    return () => clearTimeout(soon);
  }, [value]);
  return calm.value;
}

function useJobs(query: string) {
  const newest = useResource<Jobs>(`/api/jobs?${query}`);
  const older = useSignal<
    { readonly jobs: readonly JobItem[]; readonly before: string | null } | undefined
  >(undefined);
  const busy = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  useEffect(() => {
    older.value = undefined;
    fault.value = undefined;
  }, [query]);
  const first = newest.data.value;
  const before = older.value === undefined ? first?.before ?? null : older.value.before;
  const more = useCallback(async () => {
    if (before === null || busy.peek()) return;
    busy.value = true;
    try {
      const page = await read<Jobs>(
        `/api/jobs?${query}${query === "" ? "" : "&"}before=${encodeURIComponent(before)}`,
      );
      // A job that moved to the next page meanwhile is listed once.
      const kept = older.peek()?.jobs ?? first?.jobs ?? [];
      older.value = { jobs: joined(kept, page.jobs), before: page.before };
      fault.value = undefined;
    } catch (thrown) {
      fault.value = (thrown as Error).message;
    }
    busy.value = false;
  }, [query, before, first]);
  return {
    jobs: joined(first?.jobs ?? [], older.value?.jobs ?? []),
    known: first !== undefined,
    more: before === null ? undefined : more,
    busy: busy.value,
    fault: fault.value ?? newest.fault.value,
  };
}

export function JobPages(
  { repos }: { readonly repos: readonly { value: string; text: string }[] },
) {
  const query = new URLSearchParams();
  if (asked("repo") !== "") query.set("repo_id", asked("repo"));
  if (asked("status") !== "") query.set("status", asked("status"));
  if (asked("role") !== "") query.set("role", asked("role"));
  const search = useCalm(asked("q").trim());
  if (search !== "") query.set("search", search);
  const { jobs, known, more, busy, fault } = useJobs(query.toString());
  const roles = [...new Set([...jobs.map(({ role }) => role), asked("role")])].filter(Boolean)
    .sort();
  return (
    <>
      <FilterBar>
        <Search label="Search all jobs" />
        <Choose
          name="status"
          label="State"
          all="All states"
          choices={STATUSES.map((value) => ({ value, text: value }))}
        />
        <Choose
          name="role"
          label="Role"
          all="All roles"
          choices={roles.map((value) => ({ value, text: value }))}
        />
        <Choose name="repo" label="Repo" all="All repos" choices={repos} />
      </FilterBar>
      {fault !== undefined && <p class="fault" role="alert">{fault}</p>}
      {!known
        ? fault === undefined && <Loading />
        : jobs.length > 0
        ? <JobList jobs={jobs} onEnd={more} />
        : query.size > 0
        ? <NoMatch />
        : (
          <Empty title="No job has run yet">
            Run a role from Controls, or: <code>svc run engineer</code>
          </Empty>
        )}
      <p class="list-end">
        {counted(jobs.length, "job")} {search === "" ? "loaded" : "found"}
        {more === undefined ? "; these are all." : (
          <>
            .{" "}
            <button type="button" class="link" disabled={busy} onClick={() => void more()}>
              {busy ? "Loading…" : "Load older"}
            </button>
          </>
        )}
      </p>
    </>
  );
}
