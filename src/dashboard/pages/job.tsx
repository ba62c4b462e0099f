/** A job: its state, its run step by step, changes, checks, and the decisions around it. */
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { JobPage as Data } from "svc/runtime/views/job_view.ts";
import { Decisions } from "svc/dashboard/parts/decision.tsx";
import { DenialTable } from "svc/dashboard/parts/debug_tables.tsx";
import { Diff } from "svc/dashboard/parts/diff.tsx";
import {
  Age,
  Chip,
  Empty,
  Facts,
  JobState,
  Lasting,
  Outcome,
  TicketLink,
} from "svc/dashboard/parts/facts.tsx";
import { Views } from "svc/dashboard/parts/filter.tsx";
import { Fold, Loading, Page, Section } from "svc/dashboard/parts/page.tsx";
import { StepList } from "svc/dashboard/parts/step_list.tsx";
import type { ControlKey } from "svc/dashboard/state/controls.ts";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { type JobRun, useRun } from "svc/dashboard/state/trace.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";
import { amount, cost, counted, span, spoken } from "svc/dashboard/state/words.ts";

const lives = ({ status }: JobItem) => status === "running" || status === "pending";

function About({ of: { job, branch, task } }: { readonly of: Data }) {
  const retried = job.attempt > 1 && `attempt ${job.attempt} of ${job.max_attempts}`;
  const cached = job.tokens_cached > 0 ? ` (${amount(job.tokens_cached)} cached)` : "";
  return (
    <Facts
      of={[
        ["State", <JobState key="state" status={job.status} />],
        job.disposition !== null && ["Ended as", <Outcome key="outcome" name={job.disposition} />],
        job.category !== null && ["Category", spoken(job.category)],
        ["Ticket", <TicketLink key="ticket" repo={job.repo_id} id={job.ticket_id} />],
        task !== null && ["Task", task],
        ["Repo", job.repo],
        branch !== null && ["Branch", <code key="branch">{branch}</code>],
        job.commit !== null && ["Commit", <code key="commit">{job.commit.slice(0, 12)}</code>],
        ["Began by", spoken(job.trigger)],
        ["Created", <Age key="created" at={job.created_at} />],
        job.status === "pending" && ["Not before", <Age key="after" at={job.run_after} />],
        job.started_at !== null && ["Started", <Age key="started" at={job.started_at} />],
        job.status === "running"
          ? ["Runs for", <Lasting key="lasting" since={job.started_at} />]
          : job.duration_secs !== null && ["Took", span(job.duration_secs)],
        retried !== false && ["Attempts", retried],
        ["Turns", `${job.turns} with ${counted(job.tool_calls, "call")}`],
        ["Tokens", `${amount(job.tokens_in)} in${cached}, ${amount(job.tokens_out)} out`],
        job.cost_basis !== null && ["Cost", cost(job)],
        job.node !== undefined && ["Node", job.node],
        ["Model", job.model ?? "—"],
        job.evidence !== null && ["Evidence", job.evidence],
      ]}
    />
  );
}

function Checks({ of }: { readonly of: Data["checks"] }) {
  return (
    <ul class="checks">
      {of.map(({ name, outcome, at, duration_secs, reason }) => (
        <li key={`${name} ${at}`}>
          <Chip tone={/pass|ok/.test(outcome) ? "done" : "failing"}>{spoken(outcome)}</Chip>
          <code>{name}</code>
          {reason !== null && <span class="dim">{reason}</span>}
          <span class="dim">{span(duration_secs)}</span>
          <Age at={at} />
        </li>
      ))}
    </ul>
  );
}

function Run({ of, run }: { readonly of: Data; readonly run: JobRun }) {
  const total = run.total.value;
  const fault = run.fault.value;
  const turns = of.job.turns;
  return (
    <Section title="Turns" note={counted(turns, "turn")}>
      {run.missing.value.map((why) => <p key={why} class="reason">{why}</p>)}
      {fault !== undefined && <p class="fault" role="alert">Cannot read its trace: {fault}</p>}
      {total === undefined
        ? fault === undefined && <Loading />
        : total > 0
        ? <StepList run={run} total={total} />
        : run.missing.value.length === 0 && (
          <Empty title={lives(of.job) ? "It has not begun" : "No trace is stored"}>
            {lives(of.job)
              ? "Its turns appear here as they happen."
              : "Only jobs that reached a model leave one."}
          </Empty>
        )}
    </Section>
  );
}

function Aside({ of }: { readonly of: Data }) {
  return (
    <div class="split-side">
      <Fold title="Facts">
        <About of={of} />
      </Fold>
      {of.checks.length > 0 && (
        <Fold title="Checks" note={counted(of.checks.length, "check")}>
          <Checks of={of.checks} />
        </Fold>
      )}
      {of.decisions.length > 0 && (
        <Fold title="Why, and what followed">
          <Decisions of={of.decisions} open />
        </Fold>
      )}
      {of.denials.length > 0 && (
        <Fold title="Refused calls" note={counted(of.denials.length, "call")}>
          <DenialTable of={of.denials} />
        </Fold>
      )}
    </div>
  );
}

const filesIn = (diff: string): number => diff.match(/^diff --git /gm)?.length ?? 0;

function Body({ of, run }: { readonly of: Data; readonly run: JobRun }) {
  const { job, diff } = of;
  const changes = diff !== null && asked("view") === "changes";
  return (
    <>
      {job.reason !== null && (
        <p class={job.status === "failed" ? "fault" : "reason"}>{job.reason}</p>
      )}
      {of.missing.map((why) => <p key={why} class="reason">{why}</p>)}
      <div class="split job-split">
        <Aside of={of} />
        <div class="split-main">
          {diff !== null && (
            <Views
              name="view"
              views={[
                { value: "turns", text: "Turns", count: job.turns },
                { value: "changes", text: "Changes", count: filesIn(diff) },
              ]}
            />
          )}
          {changes
            ? (
              <Section title="Changes">
                <Diff of={diff} cut={of.diff_cut} />
              </Section>
            )
            : <Run of={of} run={run} />}
        </div>
      </div>
    </>
  );
}

function Acts({ job }: { readonly job: JobItem }) {
  const act = (key: ControlKey, text: string, harsh = false) => (
    <button
      type="button"
      class={harsh ? "button harsh" : "button"}
      onClick={() => openControl(key, { job_id: job.id })}
    >
      {text}
    </button>
  );
  return (
    <span class="list acts">
      {lives(job) ? act("tell-job", "Tell it something") : act("retry-job", "Run it again")}
      {lives(job) && act("cancel-job", "Stop this job", true)}
    </span>
  );
}

function Lead({ job }: { readonly job: JobItem }) {
  return (
    <span class="job-lead">
      <JobState status={job.status} />
      {job.disposition !== null && <Outcome name={job.disposition} />}
      {job.ticket_id !== null && <TicketLink repo={job.repo_id} id={job.ticket_id} />}
      {job.model !== null && <span>{job.model}</span>}
      {job.cost_basis !== null && <span>{cost(job)}</span>}
      <span>
        Job <code>{job.id}</code>
      </span>
    </span>
  );
}

export function JobPage() {
  const id = asked("id");
  const page = useResource<Data>(`/api/job?id=${encodeURIComponent(id)}&turns=none`);
  const run = useRun(id);
  const job = page.data.value?.job;
  return (
    <Page
      title={job === undefined ? "Job" : `${job.role} on ${job.repo}`}
      of={page}
      lead={job === undefined
        ? (
          <>
            Job <code>{id}</code>
          </>
        )
        : <Lead job={job} />}
      aside={job !== undefined && <Acts job={job} />}
      instead={<a href="/debug?view=jobs">look at all jobs</a>}
    >
      {(of) => <Body of={of} run={run} />}
    </Page>
  );
}
