/** Tickets: all of them as a board or a list, searched by the service, and the way to a new one. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { RepoItem } from "svc/runtime/views/repos_view.ts";
import type { RoleHealth } from "svc/runtime/views/roles_view.ts";
import { Empty, NoRepo } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, Search, Views } from "svc/dashboard/parts/filter.tsx";
import { Icon } from "svc/dashboard/parts/icon.tsx";
import { Page } from "svc/dashboard/parts/page.tsx";
import { TicketBoard } from "svc/dashboard/parts/ticket_board.tsx";
import { SORTS, TicketRows } from "svc/dashboard/parts/ticket_list.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { sheet } from "svc/dashboard/state/sheets.ts";
import { PRIORITIES, TICKET_STATES } from "svc/dashboard/state/ticket_moves.ts";
import { useTicketPages } from "svc/dashboard/state/ticket_pages.ts";
import { type TicketFilter, ticketsUrl } from "svc/dashboard/state/ticket_query.ts";
import type { Tickets } from "svc/runtime/views/tickets_view.ts";
import { counted } from "svc/dashboard/state/words.ts";

/** A person who types is asked for after this time. */
const CALM_MS = 150;
const A_PAGE = "100";

/** What a person types, once the typing pauses. */
function useCalm(text: string): string {
  const calm = useSignal(text);
  useEffect(() => {
    if (text === calm.peek()) return;
    const timer = setTimeout(() => calm.value = text, CALM_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return calm.value;
}

const choices = (names: readonly string[]) => names.map((value) => ({ value, text: value }));

function Filters({ repos, list }: { readonly repos: readonly RepoItem[]; readonly list: boolean }) {
  const health = useResource<RoleHealth>("/api/roles");
  const names = [...(health.data.value?.roles ?? []).map(({ role }) => role), asked("role")];
  const roles = [...new Set(names)].filter(Boolean).sort();
  return (
    <FilterBar>
      <Search label="Search all tickets" />
      <Choose name="state" label="State" all="All states" choices={choices(TICKET_STATES)} />
      <Choose name="role" label="Role" all="All roles" choices={choices(roles)} />
      <Choose
        name="priority"
        label="Priority"
        all="All priorities"
        choices={choices(PRIORITIES)}
      />
      <Choose
        name="repo"
        label="Repo"
        all="All repos"
        choices={repos.map(({ id, basename }) => ({ value: id, text: basename }))}
      />
      {list && <Choose name="sort" label="Order" all="Best first" choices={SORTS} />}
    </FilterBar>
  );
}

function List({ filter }: { readonly filter: TicketFilter }) {
  const { first, tickets, more, busy, fault } = useTicketPages(
    ticketsUrl(filter, { limit: A_PAGE }),
  );
  const total = first.data.value?.total ?? tickets.length;
  if (first.data.value !== undefined && tickets.length === 0) return <NoMatch />;
  return (
    <>
      {fault !== undefined && <p class="fault" role="alert">{fault}</p>}
      <TicketRows tickets={tickets} query={filter.q} onEnd={more} />
      <p class="list-end">
        {tickets.length} of {counted(total, "ticket")} loaded
        {more !== undefined && (
          <>
            .{" "}
            <button type="button" class="link" disabled={busy} onClick={() => void more()}>
              {busy ? "Loading…" : "Load more"}
            </button>
          </>
        )}
      </p>
    </>
  );
}

function NewTicket() {
  const repos = useResource<RepoItem[]>("/api/repos").data.value;
  if (repos?.length === 0) return null; // there is no place for one
  return (
    <button
      type="button"
      class="button primary"
      onClick={() => sheet.value = { kind: "new-ticket" }}
    >
      <Icon name="plus" />New ticket
    </button>
  );
}

function Body({ of, filter }: { readonly of: Tickets; readonly filter: TicketFilter }) {
  const registered = useResource<RepoItem[]>("/api/repos").data.value;
  const repos = registered ?? [];
  const list = asked("view") === "list";
  const all = Object.values(of.counts).reduce((sum, count) => sum + count, 0);
  const filtered = [filter.q, filter.role, filter.priority, filter.repo, filter.state]
    .some((value) => value !== "");
  const several = repos.length > 1;
  if (all === 0 && !filtered) {
    if (of.unread.length + of.broken_total > 0) return <Faults of={of} several={several} />;
    if (registered?.length === 0) return <NoRepo />;
    return (
      <Empty title="There is no ticket yet">
        Write one with <b>New ticket</b>, or in a terminal: <code>svc tickets new</code>
      </Empty>
    );
  }
  return (
    <>
      <div class="ticket-bar">
        <Views
          name="view"
          keep
          views={[{ value: "board", text: "Board" }, { value: "list", text: "List" }]}
        />
        <Filters repos={repos} list={list} />
      </div>
      <p class="sr" role="status">{counted(of.total, "ticket")} found</p>
      <Faults of={of} several={several} />
      {list
        ? <List filter={filter} />
        : of.total === 0
        ? <NoMatch />
        : <TicketBoard filter={filter} counts={of.counts} repos={several} />}
    </>
  );
}

/** What the counts and the search do not cover. */
function Faults({ of, several }: { readonly of: Tickets; readonly several: boolean }) {
  const more = of.broken_total - of.broken.length;
  return (
    <>
      {of.unread.map(({ repo_id, repo, reason }) => (
        <p key={repo_id} class="fault" role="alert">
          The tickets of <b>{repo}</b> are not shown: {reason}
        </p>
      ))}
      {of.broken.length > 0 && (
        <details class="needs">
          <summary>{counted(of.broken_total, "file")} cannot be read as a ticket</summary>
          <ul>
            {of.broken.map(({ repo_id, repo, path, reason, remedy }) => (
              <li key={`${repo_id} ${path}`}>
                {several && <b>{repo}:</b>} {reason}. {remedy}
              </li>
            ))}
          </ul>
          {more > 0 && (
            <p>
              And {more} more, which <code>svc tickets list</code> names.
            </p>
          )}
        </details>
      )}
    </>
  );
}

export function TicketsPage() {
  const filter: TicketFilter = {
    ...{ q: useCalm(asked("q")), state: asked("state"), role: asked("role") },
    ...{ priority: asked("priority"), repo: asked("repo"), sort: asked("sort") },
  };
  const { first } = useTicketPages(ticketsUrl(filter, { limit: "1" }));
  const data = first.data.value;
  return (
    <Page
      title="Tickets"
      of={first}
      lead={data && <Lead of={data} query={filter.q} />}
      aside={<NewTicket />}
    >
      {(of) => <Body of={of} filter={filter} />}
    </Page>
  );
}

function Lead({ of, query }: { readonly of: Tickets; readonly query: string }) {
  const said = counted(of.total, "ticket");
  if (query === "") return <>{said}</>;
  return (
    <>
      {said} with <q>{query}</q>
    </>
  );
}
