/** Throughput: work done per hour, lead times and rework; and what it costs. */
import type { Throughput } from "svc/runtime/views/throughput_view.ts";
import { Age, Chip, Empty, TicketLink } from "svc/dashboard/parts/facts.tsx";
import { CostView, useCosts } from "svc/dashboard/parts/cost_view.tsx";
import { Choose, FilterBar, NoMatch, Search, Views } from "svc/dashboard/parts/filter.tsx";
import { HourlyChart } from "svc/dashboard/parts/hourly_chart.tsx";
import { JobList, jobMatches } from "svc/dashboard/parts/job_list.tsx";
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { amount, cost, counted, percent, span, spent, spoken } from "svc/dashboard/state/words.ts";

function Figure(
  { name, value, note }: { readonly name: string; readonly value: string; readonly note: string },
) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="note">{note}</dd>
    </div>
  );
}

const ticketSpan = ({ ticket_days: days }: Throughput["summary"]) =>
  days === 1 ? "24 hours" : `${days} days`;

function Waiting({ of }: { readonly of: Throughput["summary"]["longest_waits"] }) {
  if (of.length === 0) return <p class="dim">No ticket waits for anything.</p>;
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Ticket</th>
          <th scope="col" class="num">Waits</th>
          <th scope="col">State</th>
          <th scope="col">For</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ repo_id, repo, ticket_id, title, state, zone, why, secs }) => (
          <tr key={`${repo_id} ${ticket_id}`} data-item>
            <th scope="row" class="wrap">
              <TicketLink repo={repo_id} id={ticket_id} text={`${ticket_id} ${title}`} />{" "}
              <span class="dim">{repo}</span>
            </th>
            <td data-label="Waits" class="num">{span(secs)}</td>
            <td data-label="State">{spoken(state)}</td>
            <td data-label="For" class="wrap">
              {zone === "needs_you" || zone === "failing"
                ? <Chip tone={zone}>{zone === "failing" ? "failing" : "needs you"}</Chip>
                : null} {why}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Figures({ of }: { readonly of: Throughput["summary"] }) {
  const ended = of.completed + of.failed;
  // Whatever time is chosen for the tickets.
  const ofJobs = `in ${of.window_hours} hours`;
  const [lead, work] = [of.lead_time_secs, of.work_time_secs];
  return (
    <dl class="figures">
      <Figure
        name="Tickets done"
        value={String(of.tickets_done)}
        note={`in ${ticketSpan(of)}`}
      />
      <Figure
        name="Lead time"
        value={lead === null ? "—" : span(lead.median)}
        note={lead === null
          ? "no ticket was done yet"
          : `median from the backlog; 9 of 10 within ${span(lead.p90)}${
            work === null ? "" : `; from the first job ${span(work.median)}`
          }`}
      />
      <Figure
        name="Rework"
        value={of.rework_rate === null ? "—" : percent(of.rework_rate)}
        note="of tickets done went back once or more"
      />
      <Figure
        name="Tokens a ticket"
        value={of.tokens_per_accepted_ticket === null ? "—" : amount(of.tokens_per_accepted_ticket)}
        note={of.cost_basis === null
          ? `${amount(of.tokens)} by all jobs ${ofJobs}`
          : `${amount(of.tokens)} by all jobs ${ofJobs}: ${cost(of)}`}
      />
      <Figure
        name="Jobs"
        value={String(ended)}
        note={ended === 0
          ? `none ended ${ofJobs}`
          : `ended ${ofJobs}, ${of.failed} failed (${percent(of.failed / ended)})`}
      />
      <Figure
        name="Queue"
        value={String(of.pending)}
        note={of.queue_age_secs === null
          ? `${of.running} running`
          : `oldest waits ${span(of.queue_age_secs)}`}
      />
    </dl>
  );
}

/** The chart as a table, for readers who do not see it. */
function Hours({ of }: { readonly of: Throughput["hourly"] }) {
  return (
    <details class="as-table">
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col" class="num">Started</th>
            <th scope="col" class="num">Completed</th>
            <th scope="col" class="num">Failed</th>
            <th scope="col" class="num">Tokens</th>
          </tr>
        </thead>
        <tbody>
          {of.toReversed().map(({ hour, started, completed, failed, tokens }) => (
            <tr key={hour}>
              <th scope="row">
                <Age at={hour} />
              </th>
              <td class="num">{started}</td>
              <td class="num">{completed}</td>
              <td class="num">{failed}</td>
              <td class="num">{amount(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const DAYS = [{ value: "7", text: "7 days" }, { value: "30", text: "30 days" }];

function Body({ of }: { readonly of: Throughput }) {
  const jobs = of.recent_jobs.filter((job) => jobMatches(asked("q"), job));
  return (
    <>
      <FilterBar label="Time">
        <Choose name="days" label="Tickets done in" all="24 hours" choices={DAYS} />
      </FilterBar>
      <Figures of={of.summary} />
      <Section title="Jobs by the hour" note={counted(of.hourly.length, "hour")}>
        <HourlyChart hours={of.hourly} />
        <Hours of={of.hourly} />
      </Section>
      <Section title="Waits longest" note={<a href="/pipeline?zone=waiting">all that waits</a>}>
        <Waiting of={of.summary.longest_waits} />
      </Section>
      <Section title="Recent jobs" note={<a href="/debug?view=jobs">all jobs</a>}>
        {of.recent_jobs.length === 0
          ? (
            <Empty title="No job has run yet">
              Start one: <code>svc run engineer</code>, or run a role from Controls
            </Empty>
          )
          : (
            <>
              <FilterBar>
                <Search label="Filter jobs" />
              </FilterBar>
              {jobs.length === 0 ? <NoMatch /> : <JobList jobs={jobs} />}
            </>
          )}
      </Section>
    </>
  );
}

const VIEWS = [{ value: "work", text: "Work" }, { value: "costs", text: "Costs" }];

function WorkPage() {
  const days = asked("days");
  const throughput = useResource<Throughput>(
    `/api/throughput${days === "7" || days === "30" ? `?days=${days}` : ""}`,
  );
  const summary = throughput.data.value?.summary;
  return (
    <Page
      title="Throughput"
      of={throughput}
      lead={summary &&
        `The last ${summary.window_hours} hours: ${summary.running} running, ${summary.pending} queued`}
    >
      {(of) => (
        <>
          <Views name="view" views={VIEWS} />
          <Body of={of} />
        </>
      )}
    </Page>
  );
}

function CostsPage() {
  const costs = useCosts();
  const found = costs.data.value;
  return (
    <Page
      title="Throughput"
      of={costs}
      lead={found &&
        `${counted(found.total.jobs, "job")} in ${found.days} days${
          found.total.jobs === 0 ? "" : `: ${spent(found.total)}`
        }`}
    >
      {(of) => (
        <>
          <Views name="view" views={VIEWS} />
          <CostView of={of} />
        </>
      )}
    </Page>
  );
}

export function ThroughputPage() {
  return asked("view") === "costs" ? <CostsPage key="costs" /> : <WorkPage key="work" />;
}
