/** Pipeline: what needs a person, is broken, waits, works or is done; and how roles follow each other. */
import { useEffect } from "preact/hooks";
import type { Zone } from "svc/runtime/views/card.ts";
import type { Pipeline } from "svc/runtime/views/pipeline_view.ts";
import type { RepoBoard } from "svc/runtime/views/repo_boards.ts";
import { Decided } from "svc/dashboard/parts/decided.tsx";
import { CardItem } from "svc/dashboard/parts/card.tsx";
import { Empty, Lasting, NoRepo } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, repoChoices, Search } from "svc/dashboard/parts/filter.tsx";
import { Icon } from "svc/dashboard/parts/icon.tsx";
import { NodeList } from "svc/dashboard/parts/node_list.tsx";
import { NotifySwitch } from "svc/dashboard/parts/notifier.tsx";
import { Page, Section } from "svc/dashboard/parts/page.tsx";
import { RoleGraph } from "svc/dashboard/parts/role_graph.tsx";
import { RoleTable } from "svc/dashboard/parts/role_table.tsx";
import { ZONE_TEXTS } from "svc/dashboard/parts/zones.ts";
import { connection } from "svc/dashboard/state/events.ts";
import { keepPref } from "svc/dashboard/state/prefs.ts";
import { asked, hrefWith } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";
import { counted, matches } from "svc/dashboard/state/words.ts";

/** Zones that show all their cards, and that are shown even when empty. */
const URGENT: readonly Zone[] = ["needs_you", "failing"];
const GLANCE = 6;

function Lead({ of }: { readonly of: Pipeline }) {
  const condition = of.condition === "running" && of.claims === "paused"
    ? "Paused"
    : of.condition === "running" && of.held !== null
    ? "Held"
    : of.condition[0]!.toUpperCase() + of.condition.slice(1);
  return (
    <>
      {connection.value.state === "lost" && "Last known: "}
      <strong>{condition}</strong> as {of.profile}
      {of.reason !== null
        ? `: ${of.reason}`
        : of.held !== null && `: ${of.held.replace(/^held /, "")}`}
      {" · "}
      {of.jobs.running ?? 0} of {of.concurrency} at work {" · "}
      {of.jobs.pending ?? 0} queued {" · "}up <Lasting since={of.started_at} />
    </>
  );
}

function Strip({ totals }: { readonly totals: Pipeline["totals"] }) {
  const now = asked("zone");
  return (
    <nav class="strip" aria-label="Zones">
      {ZONE_TEXTS.map(({ zone, name, about }) => {
        const count = totals[zone] ?? 0;
        return (
          <a
            key={zone}
            class={`tile tone-${zone}${count === 0 ? " none" : ""}`}
            href={hrefWith({ zone: now === zone ? "" : zone })}
            aria-current={now === zone ? "true" : undefined}
          >
            <span class="tile-name">
              <Icon name={zone} />
              {name}
            </span>
            <span class="tile-count">{count}</span>
            <span class="tile-about">{about}</span>
          </a>
        );
      })}
    </nav>
  );
}

function ZoneList(
  { zone, of, filtered }: {
    readonly zone: Zone;
    readonly of: Pipeline;
    readonly filtered: Pipeline["cards"];
  },
) {
  const { name, none } = ZONE_TEXTS.find((text) => text.zone === zone)!;
  const cards = filtered.filter((card) => card.zone === zone);
  const all = of.cards.filter((card) => card.zone === zone).length;
  const total = of.totals[zone] ?? all;
  const only = asked("zone");
  if (cards.length === 0 && (all > 0 || only === "")) {
    return URGENT.includes(zone)
      ? (
        <p class={`quiet-zone tone-${zone}`}>
          <Icon name="done" />
          {all > 0 ? `${name}: none match.` : none}
        </p>
      )
      : null;
  }
  const shown = only === "" && !URGENT.includes(zone) ? cards.slice(0, GLANCE) : cards;
  const more = Math.max(total, cards.length) > shown.length;
  return (
    <Section
      title={name}
      note={more
        ? (
          <a href={hrefWith({ zone })}>
            {cards.length > shown.length ? `all ${total}` : `${shown.length} of ${total}`}
          </a>
        )
        : String(cards.length)}
    >
      {cards.length === 0 ? <p class="dim">{none}</p> : (
        <ul class="cards">
          {shown.map((card) => <CardItem key={card.key} card={card} repos={of.repos.length > 1} />)}
        </ul>
      )}
    </Section>
  );
}

function Board({ board, several }: { readonly board: RepoBoard; readonly several: boolean }) {
  return (
    <Section
      title={several ? `Roles of ${board.basename}` : "Roles and routes"}
      note={<a href={`/orchestration?repo=${encodeURIComponent(board.id)}`}>all routes</a>}
    >
      {board.problem !== null && <p class="fault">{board.problem}</p>}
      {board.roles.length === 0
        ? (
          <Empty title="This repo has no roles yet">
            Write its harness: <code>svc init --repo …</code>
          </Empty>
        )
        : (
          <>
            <RoleGraph board={board} />
            <RoleTable board={board} />
          </>
        )}
      {board.waits.length > 0 && (
        <ul class="waits">{board.waits.map((wait) => <li key={wait}>{wait}</li>)}</ul>
      )}
    </Section>
  );
}

function Nothing({ of }: { readonly of: Pipeline }) {
  if (of.repos.length === 0) return <NoRepo />;
  return (
    <Empty title="Nothing to do yet">
      <button type="button" class="link" onClick={() => openControl("scan")}>Scan a repo</button>
      {" "}
      for gaps,{" "}
      <button type="button" class="link" onClick={() => openControl("run-role")}>
        run a role
      </button>, or write a ticket: <code>svc tickets new</code>
    </Empty>
  );
}

/** The cards here are a part: the page of tickets searches all. */
function AllTickets({ query }: { readonly query: string }) {
  return (
    <a href={`/tickets?view=list&q=${encodeURIComponent(query)}`}>
      Search all tickets for <q>{query}</q>
    </a>
  );
}

function Body({ of }: { readonly of: Pipeline }) {
  const [query, repo, only] = [asked("q"), asked("repo"), asked("zone")];
  const filtered = of.cards.filter((card) =>
    (repo === "" || card.repo_id === repo) &&
    matches(
      query,
      card.title,
      card.why,
      card.action,
      card.ticket_id,
      card.role,
      card.repo,
      card.model,
    )
  );
  const zones = ZONE_TEXTS.filter(({ zone }) => only === "" || only === zone);
  const boards = of.repos.filter(({ id }) => repo === "" || id === repo);
  return (
    <>
      <Strip totals={of.totals} />
      <div class="split">
        <div class="split-main">
          {of.cards.length > 0 && (
            <FilterBar>
              <Search />
              <Choose
                name="repo"
                label="Repo"
                all="All repos"
                choices={repoChoices(
                  of.repos.map(({ id, basename }) => ({ repo_id: id, repo: basename })),
                )}
              />
            </FilterBar>
          )}
          {of.cards.length === 0
            ? <Nothing of={of} />
            : filtered.length === 0
            ? <NoMatch more={query === "" ? undefined : <AllTickets query={query} />} />
            : zones.map(({ zone }) => (
              <ZoneList key={zone} zone={zone} of={of} filtered={filtered} />
            ))}
          {only === "" && (
            <Decided of={of.decided.filter((one) => repo === "" || one.repo_id === repo)} />
          )}
          {query !== "" && filtered.length > 0 && (
            <p class="list-end">
              <AllTickets query={query} />
            </p>
          )}
        </div>
        <div class="split-side">
          {of.nodes !== undefined && <NodeList nodes={of.nodes} />}
          {boards.map((board) => (
            <Board key={board.id} board={board} several={of.repos.length > 1} />
          ))}
        </div>
      </div>
    </>
  );
}

export function PipelinePage() {
  const pipeline = useResource<Pipeline>("/api/pipeline");
  const data = pipeline.data.value;
  useEffect(() => {
    if (data !== undefined) keepPref("command", `svc ${data.shape}`);
  }, [data?.shape]);
  return (
    <Page
      title="Pipeline Flow"
      mark={data?.totals.needs_you ?? 0}
      of={pipeline}
      aside={<NotifySwitch />}
      lead={data && <Lead of={data} />}
    >
      {(of) => (
        <>
          {counts(of)}
          <Body of={of} />
        </>
      )}
    </Page>
  );
}

/** Announced to screen readers when it changes. */
function counts(of: Pipeline) {
  return (
    <p class="sr" role="status">
      {counted(of.totals.needs_you ?? 0, "thing needs you", "things need you")},{" "}
      {of.totals.failing ?? 0} failing
    </p>
  );
}
