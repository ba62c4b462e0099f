/** Jobs as rows: state, role, ticket, outcome, cost, time. */
import type { JobItem } from "svc/runtime/views/job_item.ts";
import { jobHref } from "svc/dashboard/state/place.ts";
import { amount, cost, matches, span, spoken } from "svc/dashboard/state/words.ts";
import { Age, JobState, Outcome, TicketLink } from "./facts.tsx";
import { WindowList } from "./window_list.tsx";

const HEIGHTS = { wide: 34, phone: 62 };

export const jobMatches = (query: string, job: JobItem): boolean =>
  matches(
    query,
    job.id,
    job.role,
    job.repo,
    job.ticket_id,
    job.status,
    job.disposition,
    job.category,
    job.reason,
    job.model,
    job.node,
    job.trigger,
  );

function Row({ job }: { readonly job: JobItem }) {
  const why = job.reason ?? (job.category === null ? "" : spoken(job.category));
  return (
    <div class="job-row" data-item>
      <JobState status={job.status} />
      <span class="job-role">
        <a href={jobHref(job.id)} title={job.id}>{job.role}</a>
        {job.ticket_id !== null && <span class="job-on">{job.ticket_id}</span>}
        <span class="dim">{job.repo}{job.node !== undefined && ` on ${job.node}`}</span>
      </span>
      <span class="job-ticket">
        <TicketLink repo={job.repo_id} id={job.ticket_id} />
      </span>
      <span class="job-outcome" title={why}>
        {job.disposition === null
          ? <span class="dim">{spoken(job.trigger)}</span>
          : <Outcome name={job.disposition} />}
        {why !== "" && <span class="dim">{why}</span>}
      </span>
      <span class="job-tokens num">{amount(job.tokens_in + job.tokens_out)}</span>
      <span class="job-cost num">{cost(job)}</span>
      <span class="job-time num">{job.duration_secs === null ? "—" : span(job.duration_secs)}</span>
      <Age at={job.finished_at ?? job.started_at ?? job.created_at} />
    </div>
  );
}

export function JobList(
  { jobs, onEnd }: { readonly jobs: readonly JobItem[]; readonly onEnd?: (() => void) | undefined },
) {
  return (
    <div class="job-list">
      <div class="job-row job-heads" aria-hidden="true">
        <span>State</span>
        <span>Role</span>
        <span>Ticket</span>
        <span>Outcome</span>
        <span class="num">Tokens</span>
        <span class="num">Cost</span>
        <span class="num">Took</span>
        <span class="num">When</span>
      </div>
      <WindowList items={jobs} heights={HEIGHTS} keyOf={({ id }) => id} {...(onEnd && { onEnd })}>
        {(job) => <Row job={job} />}
      </WindowList>
    </div>
  );
}
