/** A ticket: its text and state, its jobs, and the decisions about it. */
import type { TicketPage as Data } from "svc/runtime/views/ticket_view.ts";
import { Decisions } from "svc/dashboard/parts/decision.tsx";
import { Chip, type ChipTone, Empty, Facts, TicketLink } from "svc/dashboard/parts/facts.tsx";
import { JobList } from "svc/dashboard/parts/job_list.tsx";
import { Markdown } from "svc/dashboard/parts/markdown.tsx";
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { Question } from "svc/dashboard/parts/question.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { cost, counted } from "svc/dashboard/state/words.ts";

type TicketItem = Data["ticket"];

const TONES: Readonly<Record<string, ChipTone>> = {
  blocked: "needs_you",
  backlog: "waiting",
  "in-progress": "working",
  review: "working",
  done: "done",
};

/** Only http(s) addresses become links; anything else is shown as text. */
function External({ url }: { readonly url: string }) {
  const safe = /^https?:\/\//i.test(url);
  return safe
    ? <a href={url} rel="noreferrer noopener" target="_blank">{url}</a>
    : <code>{url}</code>;
}

function About({ of }: { readonly of: TicketItem }) {
  return (
    <Facts
      of={[
        ["State", <Chip key="state" tone={TONES[of.state] ?? "plain"}>{of.state}</Chip>],
        ["Type", of.type],
        ["Priority", of.priority],
        of.role !== null && ["Role", of.role],
        ["Repo", of.repo],
        ["File", <code key="file">{of.path}</code>],
        ["Came from", of.source],
        of.branch !== null && ["Branch", <code key="branch">{of.branch}</code>],
        ["Attempts", `${of.attempts}, reworked ${of.rework}×`],
        of.cost_basis !== null && ["Cost", cost(of)],
        of.depends_on.length > 0 && [
          "Depends on",
          <span key="depends" class="list">
            {of.depends_on.map((id) => <TicketLink key={id} repo={of.repo_id} id={id} />)}
          </span>,
        ],
        of.external_url !== null &&
        ["Elsewhere", <External key="external" url={of.external_url} />],
      ]}
    />
  );
}

function Body({ of: { ticket, jobs, decisions } }: { readonly of: Data }) {
  return (
    <div class="split">
      <div class="split-main">
        {ticket.question !== null && (
          <Section title="Question">
            <Question of={ticket.question} repo={ticket.repo_id} ticket={ticket.id} />
          </Section>
        )}
        {ticket.unblock !== null && (
          <p class="needs">
            <strong>Waits for {ticket.unblock.owner}:</strong> {ticket.unblock.action}
          </p>
        )}
        {ticket.acceptance.length > 0 && (
          <Section title="Done when">
            <ul class={ticket.state === "done" ? "acceptance met" : "acceptance"}>
              {ticket.acceptance.map((line) => <li key={line}>{line}</li>)}
            </ul>
          </Section>
        )}
        <Section title="Text">
          {ticket.body.trim() === ""
            ? (
              <Empty title="The ticket has no text">
                Write it in <code>{ticket.path}</code>
              </Empty>
            )
            : <Markdown of={ticket.body} />}
        </Section>
        <Section title="Jobs" note={counted(jobs.length, "job")}>
          {jobs.length === 0
            ? (
              <Empty title="Nothing has run for it yet">
                It is dispatched when a role takes its turn.
              </Empty>
            )
            : <JobList jobs={jobs} />}
        </Section>
      </div>
      <div class="split-side">
        <Section title="Facts">
          <About of={ticket} />
        </Section>
        {decisions.length > 0 && (
          <Section title="Decisions">
            <Decisions of={decisions} open />
          </Section>
        )}
      </div>
    </div>
  );
}

export function TicketPage() {
  const [repo, id] = [asked("repo_id"), asked("id")];
  const page = useResource<Data>(
    `/api/ticket?repo_id=${encodeURIComponent(repo)}&id=${encodeURIComponent(id)}`,
  );
  const ticket = page.data.value?.ticket;
  return (
    <Page
      title={ticket?.title ?? "Ticket"}
      of={page}
      lead={
        <>
          Ticket <code>{id}</code>
          {ticket && ` in ${ticket.repo}`}
        </>
      }
    >
      {(of) => <Body of={of} />}
    </Page>
  );
}
