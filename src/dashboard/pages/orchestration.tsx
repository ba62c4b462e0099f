/** Orchestration: how each repo dispatches, how roles are connected, what was decided, and what stopped. */
import type { Orchestration } from "svc/runtime/views/orchestration_view.ts";
import type { RepoBoard } from "svc/runtime/views/repo_boards.ts";
import { Decisions } from "svc/dashboard/parts/decision.tsx";
import { Age, Chip, Empty, Facts, JobLink, NoRepo, Outcome } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, Search } from "svc/dashboard/parts/filter.tsx";
import { Fold, Page, Section } from "svc/dashboard/parts/page.tsx";
import { RoleGraph } from "svc/dashboard/parts/role_graph.tsx";
import { RouteTable } from "svc/dashboard/parts/role_table.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { counted, matches, spoken } from "svc/dashboard/state/words.ts";

const TICKET_ORDER = ["backlog", "in-progress", "review", "blocked", "done"];

function Tickets({ of }: { readonly of: RepoBoard["tickets"] }) {
  const names = [...new Set([...TICKET_ORDER, ...Object.keys(of)])].filter((name) => name in of);
  if (names.length === 0) return <span class="dim">none</span>;
  return (
    <span class="tickets">
      {names.map((name) => (
        <span key={name}>
          <b>{of[name]}</b> {name}
        </span>
      ))}
    </span>
  );
}

/** With more repos than these each is a line until it is opened. */
const BOARDS_OPEN = 2;

function BoardNote({ of: { branch, problem, waits, tickets } }: { readonly of: RepoBoard }) {
  const open = TICKET_ORDER.slice(0, -1).reduce((sum, name) => sum + (tickets[name] ?? 0), 0);
  return (
    <span class="board-note">
      {problem !== null && <Chip tone="failing">manifest</Chip>}
      {waits.length > 0 && <Chip tone="waiting">{counted(waits.length, "merge")}</Chip>}
      <span>{counted(open, "open ticket")}</span>
      <span>on {branch}</span>
    </span>
  );
}

function Board({ board, open }: { readonly board: RepoBoard; readonly open: boolean }) {
  return (
    <Fold title={board.basename} note={<BoardNote of={board} />} open={open}>
      {board.problem !== null && <p class="fault">{board.problem}</p>}
      <Facts
        of={[
          ["Dispatch", board.mode ?? "no harness"],
          ["Merge", board.merge === null ? "—" : spoken(board.merge)],
          ["Tickets", <Tickets key="tickets" of={board.tickets} />],
        ]}
      />
      {board.waits.length > 0 && (
        <ul class="waits">{board.waits.map((wait) => <li key={wait}>{wait}</li>)}</ul>
      )}
      {board.roles.length > 0 && (
        <div class="topology">
          <RoleGraph board={board} />
          <div class="routes">
            <RouteTable board={board} />
          </div>
        </div>
      )}
    </Fold>
  );
}

function Stops({ of }: { readonly of: Orchestration["decisions"] }) {
  const stops = new Map<string, { count: number; at: string; job: string }>();
  for (const { stop, at, job_id } of of) {
    if (stop === null) continue;
    const known = stops.get(stop);
    stops.set(stop, {
      count: (known?.count ?? 0) + 1,
      at: known?.at ?? at,
      job: known?.job ?? job_id,
    });
  }
  if (stops.size === 0) return <p class="dim">No decision stopped lately.</p>;
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Reason</th>
          <th scope="col" class="num">Times</th>
          <th scope="col">Last</th>
          <th scope="col">Job</th>
        </tr>
      </thead>
      <tbody>
        {[...stops].sort((a, b) => b[1].count - a[1].count).map(([stop, { count, at, job }]) => (
          <tr key={stop}>
            <th scope="row">{stop}</th>
            <td data-label="Times" class="num">{count}</td>
            <td data-label="Last">
              <Age at={at} />
            </td>
            <td data-label="Job">
              <JobLink id={job} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Dispositions({ of }: { readonly of: Orchestration["dispositions"] }) {
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Role</th>
          <th scope="col">Ended as</th>
          <th scope="col" class="num">Times</th>
          <th scope="col">Last</th>
          <th scope="col">Job</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ role, disposition, count, last_at, last_job }) => (
          <tr key={`${role} ${disposition}`}>
            <th scope="row">{role}</th>
            <td data-label="Ended as">
              <Outcome name={disposition} />
            </td>
            <td data-label="Times" class="num">{count}</td>
            <td data-label="Last">
              <Age at={last_at} />
            </td>
            <td data-label="Job">
              <JobLink id={last_job} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Body({ of }: { readonly of: Orchestration }) {
  const [query, repo] = [asked("q"), asked("repo")];
  const mine = of.decisions.filter((one) => repo === "" || one.repo_id === repo);
  const decisions = mine.filter((one) =>
    matches(
      query,
      one.role,
      one.disposition,
      one.rule,
      one.stop,
      one.move,
      one.next_role,
      one.ticket_id,
      one.repo,
    )
  );
  const boards = of.repos.filter(({ id }) => repo === "" || id === repo);
  const open = boards.length <= BOARDS_OPEN;
  return (
    <>
      <FilterBar>
        <Search label="Filter decisions" />
        <Choose
          name="repo"
          label="Repo"
          all="All repos"
          choices={of.repos.map(({ id, basename }) => ({ value: id, text: basename }))}
        />
      </FilterBar>
      <div class="split even">
        <div class="split-main">
          <Section title="Decisions" note="why each job followed the one before">
            {of.decisions.length === 0
              ? (
                <Empty title="Nothing was decided yet">
                  The first job that ends brings the first decision.
                </Empty>
              )
              : decisions.length === 0
              ? <NoMatch />
              : <Decisions of={decisions} repos={boards.length > 1} />}
          </Section>
          <Section title="Stop reasons">
            <Stops of={mine} />
          </Section>
          {of.dispositions.length > 0 && (
            <Section title="How roles end">
              <Dispositions of={of.dispositions} />
            </Section>
          )}
        </div>
        <div class="split-side">
          {boards.map((board) => <Board key={`${board.id} ${open}`} board={board} open={open} />)}
        </div>
      </div>
    </>
  );
}

export function OrchestrationPage() {
  const orchestration = useResource<Orchestration>("/api/orchestration");
  const data = orchestration.data.value;
  const lead = data &&
    `${counted(data.repos.length, "repo")}, ${counted(data.decisions.length, "recent decision")}`;
  return (
    <Page title="Orchestration" of={orchestration} lead={lead}>
      {(of) => of.repos.length === 0 ? <NoRepo /> : <Body of={of} />}
    </Page>
  );
}
