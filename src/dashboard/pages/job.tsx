/** A job: its state, turns, changes, checks, and the decisions around it. */
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { JobPage as Data } from "svc/runtime/views/job_view.ts";
import type { TurnItem } from "svc/runtime/views/trace_turns.ts";
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
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";
import { amount, cost, counted, span, spoken } from "svc/dashboard/state/words.ts";

function Call({ of }: { readonly of: TurnItem["calls"][number] }) {
  const good = of.status === "ok" || of.status === "done";
  return (
    <details class="call">
      <summary>
        <span class="mono call-tool">{of.tool}</span>
        <span class="mono call-args">{of.args}</span>
        <Chip tone={good ? "plain" : "failing"}>{of.status}</Chip>
      </summary>
      <pre tabIndex={0}>{of.args}</pre>
      <pre tabIndex={0}>{of.result === "" ? "(no output)" : of.result}</pre>
    </details>
  );
}

function Turns({ of }: { readonly of: readonly TurnItem[] }) {
  return (
    <ol class="turns">
      {of.map(({ turn, at, text, tokens, calls }) => (
        <li key={turn} class="turn" data-item>
          <div class="turn-head">
            <b>{turn}</b>
            <span class="dim">{amount(tokens)} tokens</span>
            <Age at={at} />
          </div>
          {text !== "" && <p class="said">{text}</p>}
          {calls.map((call, nth) => <Call key={nth} of={call} />)}
        </li>
      ))}
    </ol>
  );
}

const lives = ({ status }: JobItem) => status === "running" || status === "pending";

function About({ of: { job, branch, task } }: { readonly of: Data }) {
  const retried = job.attempt > 1 && `attempt ${job.attempt} of ${job.max_attempts}`;
  const cached = job.tokens_cached > 0 ? ` (${amount(job.tokens_cached)} cached)` : "";
  return (
    <Facts
      of={[
        ["State", <JobState key="state" status={job.status} />],
        ["Ended as", <Outcome key="outcome" name={job.disposition} />],
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

function Body({ of }: { readonly of: Data }) {
  const { job } = of;
  return (
    <div class="split">
      <div class="split-main">
        {job.reason !== null && (
          <p class={job.status === "failed" ? "fault" : "reason"}>{job.reason}</p>
        )}
        {of.missing.map((why) => <p key={why} class="reason">{why}</p>)}
        <Section title="Turns" note={counted(of.turns.length, "turn")}>
          {of.turns.length === 0
            ? (
              <Empty title={lives(job) ? "It has not begun" : "No trace is stored"}>
                {lives(job)
                  ? "Its turns appear here as they happen."
                  : "Only jobs that reached a model leave one."}
              </Empty>
            )
            : <Turns of={of.turns} />}
        </Section>
        {of.diff !== null && (
          <Section title="Changes">
            <Diff of={of.diff} cut={of.diff_cut} />
          </Section>
        )}
      </div>
      <div class="split-side">
        <Section title="Facts">
          <About of={of} />
        </Section>
        {of.checks.length > 0 && (
          <Section title="Checks">
            <Checks of={of.checks} />
          </Section>
        )}
        {of.decisions.length > 0 && (
          <Section title="Why, and what followed">
            <Decisions of={of.decisions} open />
          </Section>
        )}
        {of.denials.length > 0 && (
          <Section title="Refused calls">
            <DenialTable of={of.denials} />
          </Section>
        )}
      </div>
    </div>
  );
}

export function JobPage() {
  const id = asked("id");
  const page = useResource<Data>(`/api/job?id=${encodeURIComponent(id)}`);
  const job = page.data.value?.job;
  return (
    <Page
      title={job === undefined ? "Job" : `${job.role} on ${job.repo}`}
      of={page}
      lead={
        <>
          Job <code>{id}</code>
        </>
      }
      aside={job !== undefined && lives(job) && (
        <span class="list">
          <button
            type="button"
            class="button"
            onClick={() => openControl("tell-job", { job_id: job.id })}
          >
            Tell it something
          </button>
          <button
            type="button"
            class="button harsh"
            onClick={() => openControl("cancel-job", { job_id: job.id })}
          >
            Stop this job
          </button>
        </span>
      )}
    >
      {(of) => <Body of={of} />}
    </Page>
  );
}
