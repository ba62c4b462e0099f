/** Role Health: the score of each role and its certainty, why it fails, and how far it is trusted. */
import type { RoleHealth, RoleItem } from "svc/runtime/views/roles_view.ts";
import { Age, Empty, Facts, JobLink } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, repoChoices, Search } from "svc/dashboard/parts/filter.tsx";
import { Page } from "svc/dashboard/parts/page.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";
import { amount, cost, counted, matches, span, spoken } from "svc/dashboard/state/words.ts";

interface ScoreProps {
  readonly score: number | null;
  readonly upper: number | null;
  readonly samples: number;
}

/** The dot is the certain part of the score, the bar how far it may reach. */
function Score({ score, upper, samples }: ScoreProps) {
  if (score === null) {
    return <span class="dim" title="A score needs five outcomes">{samples} of 5 runs</span>;
  }
  const top = upper ?? score;
  const words = `${Math.round(score)} to ${Math.round(top)} of 100, from ${samples} outcomes`;
  return (
    <span class="score" title={words}>
      <b>{Math.round(score)}</b>
      <svg class="interval" viewBox="0 0 104 12" role="img" aria-label={words}>
        <line class="interval-rule" x1="2" x2="102" y1="6" y2="6" />
        <rect x={2 + score} y="3" width={Math.max(1, top - score)} height="6" rx="3" />
        <circle cx={2 + score} cy="6" r="3.5" />
      </svg>
      <span class="dim">{samples} runs</span>
    </span>
  );
}

function Trend({ by }: { readonly by: number | null }) {
  if (by === null) return <span class="dim">—</span>;
  const points = Math.round(by);
  if (points === 0) return <span class="dim">±0</span>;
  return (
    <span class={points > 0 ? "up" : "down"}>{points > 0 ? `↑ ${points}` : `↓ ${-points}`}</span>
  );
}

function Categories({ of }: { readonly of: RoleItem }) {
  if (of.categories.length === 0) {
    return <span class="dim">{of.failures === 0 ? "no failures" : "not known"}</span>;
  }
  const most = Math.max(...of.categories.map(({ count }) => count));
  return (
    <ul class="bars">
      {of.categories.map(({ category, count }) => (
        <li key={category}>
          <span>{spoken(category)}</span>
          <meter min={0} max={most} value={count} aria-label={`${spoken(category)}: ${count}`} />
          <b>{count}</b>
        </li>
      ))}
    </ul>
  );
}

function Audit({ of }: { readonly of: RoleItem }) {
  if (of.audit.length === 0) {
    return (
      <p class="dim">
        Trust was never changed. To change it:{" "}
        <code>svc trust set {of.role} {of.repo} contributor --reason …</code>
      </p>
    );
  }
  return (
    <ol class="audit">
      {of.audit.map(({ at, who, from, to, reason, automatic }) => (
        <li key={at}>
          <span>
            <b>{from} → {to}</b> {automatic ? "by svc itself" : `by ${who}`}
          </span>
          <span>{reason}</span>
          <Age at={at} />
        </li>
      ))}
    </ol>
  );
}

function RoleRow({ of }: { readonly of: RoleItem }) {
  return (
    <details class="role-row" data-item>
      <summary>
        <span class="role-name">
          <b>{of.role}</b> <span class="dim">{of.repo} · {of.tier}</span>
        </span>
        <Score score={of.score} upper={of.upper} samples={of.samples} />
        <span class="role-trend">
          <Trend by={of.trend} />
        </span>
        <span class="role-counts">
          {of.successes} good,{" "}
          <span class={of.failures > 0 ? "bad-word" : "dim"}>{of.failures} failed</span>
        </span>
        <span class="role-trust">
          {of.trust}
          {of.trust_source !== "manifest" && <span class="tag">{of.trust_source}</span>}
        </span>
        <Age at={of.last_at} />
      </summary>
      <div class="role-body">
        <div>
          <h2>Why it fails</h2>
          <Categories of={of} />
        </div>
        <div>
          <h2>Trust</h2>
          <Audit of={of} />
        </div>
        <div>
          <h2>Work</h2>
          <Facts
            of={[
              ["Median run", of.median_secs === null ? "—" : span(of.median_secs)],
              ["Tokens", amount(of.tokens)],
              of.cost_basis !== null && ["Cost", cost(of)],
              ["Last job", of.last_job === null ? "—" : <JobLink key="job" id={of.last_job} />],
            ]}
          />
          <button
            type="button"
            class="button"
            onClick={() => openControl("run-role", { repo_id: of.repo_id, role: of.role })}
          >
            Run {of.role}
          </button>
        </div>
      </div>
    </details>
  );
}

function Body({ of }: { readonly of: RoleHealth }) {
  const [query, repo] = [asked("q"), asked("repo")];
  const roles = of.roles.filter((role) =>
    (repo === "" || role.repo_id === repo) &&
    matches(
      query,
      role.role,
      role.repo,
      role.trust,
      role.tier,
      ...role.categories.map((c) => c.category),
    )
  );
  return (
    <>
      <FilterBar>
        <Search label="Filter roles" />
        <Choose name="repo" label="Repo" all="All repos" choices={repoChoices(of.roles)} />
      </FilterBar>
      {roles.length === 0 ? <NoMatch /> : (
        <div class="role-rows">
          <div class="role-heads" aria-hidden="true">
            <span>Role</span>
            <span>Score and interval</span>
            <span>Trend</span>
            <span>Outcomes</span>
            <span>Trust</span>
            <span>Last run</span>
          </div>
          {roles.map((role) => <RoleRow key={`${role.repo_id} ${role.role}`} of={role} />)}
        </div>
      )}
    </>
  );
}

export function RolesPage() {
  const roles = useResource<RoleHealth>("/api/roles");
  const days = roles.data.value?.roles[0]?.window_days;
  return (
    <Page
      title="Role Health"
      of={roles}
      lead={days &&
        `Outcomes of the last ${counted(days, "day")}; a score says what is sure at 95 %`}
    >
      {(of) =>
        of.roles.length === 0
          ? (
            <Empty title="No roles yet">
              They come from a repo's manifest: <code>svc init --repo /path/to/repo</code>
            </Empty>
          )
          : <Body of={of} />}
    </Page>
  );
}
