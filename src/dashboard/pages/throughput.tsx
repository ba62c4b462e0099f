/** Throughput: work done per hour, lead times and rework; and what it costs. */
import type { Throughput } from "svc/runtime/views/throughput_view.ts";
import { Age, Empty } from "svc/dashboard/parts/facts.tsx";
import { CostView, useCosts } from "svc/dashboard/parts/cost_view.tsx";
import { FilterBar, NoMatch, Search, Views } from "svc/dashboard/parts/filter.tsx";
import { HourlyChart } from "svc/dashboard/parts/hourly_chart.tsx";
import { JobList, jobMatches } from "svc/dashboard/parts/job_list.tsx";
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { amount, cost, counted, percent, span, spent } from "svc/dashboard/state/words.ts";

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

function Figures({ of }: { readonly of: Throughput["summary"] }) {
  const ended = of.completed + of.failed;
  const lead = of.lead_time_secs;
  return (
    <dl class="figures">
      <Figure
        name="Tickets done"
        value={String(of.tickets_done)}
        note={`in ${of.window_hours} hours`}
      />
      <Figure
        name="Lead time"
        value={lead === null ? "—" : span(lead.median)}
        note={lead === null
          ? "no ticket was done yet"
          : `median; nine of ten within ${span(lead.p90)}`}
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
          ? `${amount(of.tokens)} in all`
          : `${amount(of.tokens)} in all: ${cost(of)}`}
      />
      <Figure
        name="Jobs"
        value={String(ended)}
        note={ended === 0 ? "none ended" : `${of.failed} failed (${percent(of.failed / ended)})`}
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

function Body({ of }: { readonly of: Throughput }) {
  const jobs = of.recent_jobs.filter((job) => jobMatches(asked("q"), job));
  return (
    <>
      <Figures of={of.summary} />
      <Section title="Jobs by the hour" note={counted(of.hourly.length, "hour")}>
        <HourlyChart hours={of.hourly} />
        <Hours of={of.hourly} />
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
  const throughput = useResource<Throughput>("/api/throughput");
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
        `${counted(found.total.jobs, "job")} in ${found.days} days: ${spent(found.total)}`}
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
