/** A ticket: its text and state, its jobs, and the decisions about it. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TicketPage as Data } from "svc/runtime/views/ticket_view.ts";
import { acceptanceOf } from "svc/dashboard/parts/acceptance.ts";
import { Decisions } from "svc/dashboard/parts/decision.tsx";
import { Empty, Facts, TicketLink } from "svc/dashboard/parts/facts.tsx";
import { JobList } from "svc/dashboard/parts/job_list.tsx";
import { Markdown } from "svc/dashboard/parts/markdown.tsx";
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { Question } from "svc/dashboard/parts/question.tsx";
import { faultOfAct } from "svc/dashboard/parts/refusal_text.ts";
import { TicketEditor } from "svc/dashboard/parts/ticket_editor.tsx";
import { TicketState } from "svc/dashboard/parts/ticket_facts.tsx";
import { act } from "svc/dashboard/state/api.ts";
import { editKey, unsavedOf } from "svc/dashboard/state/unsaved.ts";
import { notify } from "svc/dashboard/state/notices.ts";
import { asked, hrefWith } from "svc/dashboard/state/place.ts";
import { refresh, useResource } from "svc/dashboard/state/resource.ts";
import { openMove } from "svc/dashboard/state/sheets.ts";
import { PRIORITIES } from "svc/dashboard/state/ticket_moves.ts";
import { cost, counted } from "svc/dashboard/state/words.ts";

type TicketItem = Data["ticket"];

/** Only http(s) addresses become links; anything else is shown as text. */
function External({ url }: { readonly url: string }) {
  const safe = /^https?:\/\//i.test(url);
  return safe
    ? <a href={url} rel="noreferrer noopener" target="_blank">{url}</a>
    : <code>{url}</code>;
}

/** Jobs that began: those that still wait, or never ran, tried nothing. */
function attemptsOf(jobs: Data["jobs"], { attempts, rework }: TicketItem): string {
  const began = jobs.filter(({ started_at }) => started_at !== null).length;
  return [
    counted(began, "job"),
    attempts > 0 && `${attempts} without a result`,
    rework > 0 && `reworked ${rework}×`,
  ].filter(Boolean).join(", ");
}

type Link = TicketItem["waits_for"][number];

/** What is not waited for is done. */
const named = (ids: readonly string[], waits: readonly Link[]): readonly Link[] =>
  ids.map((id) => waits.find((one) => one.id === id) ?? { id, title: null, state: "done" });

function Linked({ repo, of }: { readonly repo: string; readonly of: readonly Link[] }) {
  return (
    <ul>
      {of.map(({ id, title, state }) => (
        <li key={id}>
          <TicketLink repo={repo} id={id} /> {state === null
            ? <span class="bad-word">is not there</span>
            : <span class="dim">{state}</span>} {title !== null && <span dir="auto">{title}</span>}
        </li>
      ))}
    </ul>
  );
}

function About({ of, jobs }: { readonly of: TicketItem; readonly jobs: Data["jobs"] }) {
  return (
    <Facts
      of={[
        ["State", <TicketState key="state" state={of.state} />],
        ["Type", of.type],
        ["Priority", <PriorityChoice key="priority" of={of} />],
        of.role !== null && ["Role", of.role],
        ["Repo", of.repo],
        ["File", <code key="file">{of.path}</code>],
        ["Came from", of.source],
        of.branch !== null && ["Branch", <code key="branch">{of.branch}</code>],
        ["Attempts", attemptsOf(jobs, of)],
        of.cost_basis !== null && ["Cost", cost(of)],
        of.depends_on.length > 0 && [
          "Depends on",
          <Linked key="depends" repo={of.repo_id} of={named(of.depends_on, of.waits_for)} />,
        ],
        of.awaited_by.length > 0 && [
          "Awaited by",
          <Linked key="awaited" repo={of.repo_id} of={of.awaited_by} />,
        ],
        of.external_url !== null &&
        ["Elsewhere", <External key="external" url={of.external_url} />],
      ]}
    />
  );
}

/** Sets the priority at once; shut until the page shows the ticket as it is then. */
function PriorityChoice({ of }: { readonly of: TicketItem }) {
  const chosen = useSignal<string | undefined>(undefined);
  const select = useRef<HTMLSelectElement>(null);
  const busy = chosen.value !== undefined;
  useEffect(() => {
    chosen.value = undefined;
  }, [of.version]);
  useEffect(() => {
    // What is shut loses the focus.
    if (!busy) return () => {};
    return () => void (document.activeElement === document.body && select.current?.focus());
  }, [busy]);
  const set = async (priority: string) => {
    chosen.value = priority;
    try {
      const { repo_id, id: ticket_id, version } = of;
      await act("/api/edit-ticket", { repo_id, ticket_id, version, priority });
      notify({ tone: "good", text: `${of.id} has priority ${priority}.` });
    } catch (thrown) {
      chosen.value = undefined;
      notify({ tone: "bad", text: faultOfAct(thrown) });
    }
    refresh();
  };
  return (
    <select
      ref={select}
      class="small"
      aria-label="Priority"
      value={chosen.value ?? of.priority}
      disabled={busy}
      onChange={(event) => void set(event.currentTarget.value)}
    >
      {PRIORITIES.map((value) => <option key={value} value={value}>{value}</option>)}
    </select>
  );
}

function Body({ of: { ticket, jobs, decisions } }: { readonly of: Data }) {
  const { wishes, rest } = acceptanceOf(ticket.acceptance, ticket.body, ticket.state === "done");
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
        {wishes.length > 0 && (
          <Section title="Done when">
            <ul class="acceptance">
              {wishes.map(({ text, met }) => (
                <li key={text} class={met ? "met" : ""} dir="auto">
                  <span class="sr">{met ? "met: " : "open: "}</span>
                  {text}
                </li>
              ))}
            </ul>
          </Section>
        )}
        <Section title="Text">
          {rest.trim() === ""
            ? (
              <Empty title="The ticket has no text">
                Write it in <code>{ticket.path}</code>
              </Empty>
            )
            : <Markdown of={rest} />}
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
          <About of={ticket} jobs={jobs} />
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

function Acts({ of }: { readonly of: TicketItem }) {
  const draft = unsavedOf(editKey(of.repo_id, of.id)) !== undefined;
  return (
    <span class="list">
      <a class="button" data-key="e" href={hrefWith({ edit: "fields" })}>
        {draft ? "Go on editing" : "Edit"}
      </a>
      <button type="button" class="button" data-key="m" onClick={() => openMove(of)}>Move</button>
    </span>
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
        <span class="job-lead">
          {ticket && <TicketState state={ticket.state} />}
          <span>
            Ticket <code>{id}</code>
            {ticket && ` in ${ticket.repo}`}
          </span>
        </span>
      }
      aside={ticket !== undefined && asked("edit") === "" && <Acts of={ticket} />}
      instead={
        <a href={`/tickets?${new URLSearchParams({ view: "list", q: id })}`}>search all tickets</a>
      }
    >
      {(of) =>
        asked("edit") === ""
          ? <Body of={of} />
          : <TicketEditor key={`${repo} ${id}`} repo={repo} id={id} present={of.ticket.version} />}
    </Page>
  );
}
