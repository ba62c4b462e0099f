/** Costs: what jobs used, over days, and by ticket, role or model. */
import type { CostsAnswer } from "svc/runtime/views/costs_view.ts";
import type { RepoItem } from "svc/runtime/views/repos_view.ts";
import { asked } from "svc/dashboard/state/place.ts";
import { type Resource, useResource } from "svc/dashboard/state/resource.ts";
import { amount, counted, dayName, spent } from "svc/dashboard/state/words.ts";
import { CostChart } from "./cost_chart.tsx";
import { Empty, TicketLink } from "./facts.tsx";
import { Choose, FilterBar, Views } from "./filter.tsx";
import { Section } from "./page.tsx";

const GROUPS = [
  { value: "ticket", text: "By ticket" },
  { value: "role", text: "By role" },
  { value: "model", text: "By model" },
] as const;

const HEADS = { ticket: "Ticket", role: "Role", model: "Model", day: "Day" } as const;

const SPANS = [
  { value: "7", text: "7 days" },
  { value: "90", text: "90 days" },
  { value: "365", text: "365 days" },
] as const;

function costsHref(by: string): string {
  const query = new URLSearchParams({ by, days: asked("days") || "30" });
  if (asked("repo") !== "") query.set("repo_id", asked("repo"));
  return `/api/costs?${query}`;
}

export const useCosts = (): Resource<CostsAnswer> => useResource<CostsAnswer>(costsHref("day"));

function Name({ by, row }: { readonly by: string; readonly row: CostsAnswer["rows"][number] }) {
  const { key, repo, repo_id } = row;
  if (key === null) return <span class="dim">without a {by}</span>;
  if (by === "day") return <>{dayName(key)}</>;
  if (repo_id === null) return <>{key}</>;
  return (
    <>
      <TicketLink repo={repo_id} id={key} /> <span class="dim">{repo}</span>
    </>
  );
}

function CostTable({ of }: { readonly of: CostsAnswer }) {
  const rows = of.by === "day" ? of.rows.filter(({ jobs }) => jobs > 0).toReversed() : of.rows;
  return (
    <>
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">{HEADS[of.by]}</th>
            <th scope="col">Cost</th>
            <th scope="col" class="num">Jobs</th>
            <th scope="col" class="num">Tokens in</th>
            <th scope="col" class="num">Cached</th>
            <th scope="col" class="num">Out</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.repo_id} ${row.key}`} data-item>
              <th scope="row">
                <Name by={of.by} row={row} />
              </th>
              <td data-label="Cost">{spent(row)}</td>
              <td data-label="Jobs" class="num">{row.jobs}</td>
              <td data-label="Tokens in" class="num">{amount(row.tokens_in)}</td>
              <td data-label="Cached" class="num">{amount(row.tokens_cached)}</td>
              <td data-label="Out" class="num">{amount(row.tokens_out)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {of.left_out > 0 && (
        <p class="note">{of.left_out} more cost less, and are counted in the sum alone.</p>
      )}
    </>
  );
}

/** Said wherever something has no price: the sum must not pass for the whole. */
function Unpriced({ total }: { readonly total: CostsAnswer["total"] }) {
  const { cost_unknown, tokens_unknown, tokens_local } = total;
  return (
    <>
      {cost_unknown > 0 && (
        <p class="note">
          What {counted(cost_unknown, "job")} cost is not known ({amount(tokens_unknown)}{" "}
          tokens): write the price of the model under <code>models.prices</code> in{" "}
          <code>~/.svc/config.yaml</code>, and it counts from then on.
        </p>
      )}
      {tokens_local > 0 && (
        <p class="note">
          {amount(tokens_local)}{" "}
          tokens are of models on your own machine or network, which have no price.
        </p>
      )}
    </>
  );
}

export function CostView({ of }: { readonly of: CostsAnswer }) {
  const by = GROUPS.find(({ value }) => value === asked("by"))?.value ?? "ticket";
  const rows = useResource<CostsAnswer>(costsHref(by)).data.value;
  const repos = useResource<readonly RepoItem[]>("/api/repos").data.value ?? [];
  return (
    <>
      <FilterBar>
        <Choose name="days" label="Time" all="30 days" choices={SPANS} />
        <Choose
          name="repo"
          label="Repo"
          all="All repos"
          choices={repos.map(({ id, basename }) => ({ value: id, text: basename }))}
        />
      </FilterBar>
      {of.total.jobs === 0
        ? (
          <Empty title="Nothing was used in these days">
            Costs come with the first job that asks a model: <code>svc run engineer</code>
          </Empty>
        )
        : (
          <>
            <Section title="Costs by day" note={`${of.from} to ${of.to}, days in UTC`}>
              <CostChart days={of.rows} />
              <details class="as-table wide">
                <summary>As a table</summary>
                <CostTable of={of} />
              </details>
              <Unpriced total={of.total} />
            </Section>
            <Section title="What it went to" note={`${spent(of.total)} in all`}>
              <Views name="by" label="What it went to" views={GROUPS} />
              {rows?.by === by && <CostTable of={rows} />}
            </Section>
          </>
        )}
    </>
  );
}
