/** Role Health: how well each role does, how sure that is, why it fails, and how far it is trusted. */
import type { RoleHealth } from "svc/runtime/views/roles_view.ts";
import { Age, Empty, Facts, JobLink } from "svc/dashboard/parts/facts.tsx";
import { Choose, FilterBar, NoMatch, repoChoices, Search } from "svc/dashboard/parts/filter.tsx";
import { Page } from "svc/dashboard/parts/page.tsx";
import { Score, Trend } from "svc/dashboard/parts/score.tsx";
import { asked } from "svc/dashboard/state/place.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { openControl } from "svc/dashboard/state/sheets.ts";
import { amount, counted, matches, span, spoken } from "svc/dashboard/state/words.ts";

type Role = RoleHealth["roles"][number];

function Categories({ of }: { readonly of: Role }) {
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

function Audit({ of }: { readonly of: Role }) {
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

function RoleItem({ of }: { readonly of: Role }) {
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
          <h3>Why it fails</h3>
          <Categories of={of} />
        </div>
        <div>
          <h3>Trust</h3>
          <Audit of={of} />
        </div>
        <div>
          <h3>Work</h3>
          <Facts
            of={[
              ["Median run", of.median_secs === null ? "—" : span(of.median_secs)],
              ["Tokens", amount(of.tokens)],
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
          {roles.map((role) => <RoleItem key={`${role.repo_id} ${role.role}`} of={role} />)}
        </div>
      )}
    </>
  );
}

export function RolesPage() {
  const roles = useResource<RoleHealth>("/api/roles");
  const data = roles.data.value;
  return (
    <Page
      title="Role Health"
      of={roles}
      lead={data &&
        `Outcomes of the last ${
          counted(data.window_days, "day")
        }; a score says what is sure at 95 %`}
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
