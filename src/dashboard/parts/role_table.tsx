/** The roles of a repo as a table: state, next run, score, trust; and every route. */
import type { RepoBoard } from "svc/runtime/views/repo_boards.ts";
import { jobHref } from "svc/dashboard/state/place.ts";
import { spoken } from "svc/dashboard/state/words.ts";
import { connection } from "svc/dashboard/state/events.ts";
import { Age, Chip, type ChipTone } from "./facts.tsx";

const TONES: Readonly<Record<string, ChipTone>> = {
  running: "working",
  queued: "waiting",
  paused: "waiting",
  idle: "plain",
};

function Next({ next }: { readonly next: RepoBoard["roles"][number]["next"] }) {
  if (next === null) return <span class="dim">nothing</span>;
  return (
    <span>
      {next.at !== null && (
        <>
          <Age at={next.at} />
          {" · "}
        </>
      )}
      {next.why}
    </span>
  );
}

const rolesHref = (repo: string, role: string) =>
  `/roles?${new URLSearchParams({ q: role, repo })}`;

export function RoleTable({ board }: { readonly board: RepoBoard }) {
  const lost = connection.value.state === "lost";
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Role</th>
          <th scope="col">State</th>
          <th scope="col">Next run</th>
          <th scope="col" class="num">Score</th>
          <th scope="col">Trust</th>
        </tr>
      </thead>
      <tbody>
        {board.roles.map(({ role, state, next, score, samples, trust, job_id, tier }) => (
          <tr key={role}>
            <th scope="row" class="role-name">
              <a href={rolesHref(board.id, role)} title={`tier ${tier}`}>{role}</a>
            </th>
            <td data-label="State">
              <Chip tone={TONES[state] ?? "plain"}>
                {job_id === null
                  ? state
                  : <a href={jobHref(job_id)}>{lost ? `was ${state}` : state}</a>}
              </Chip>
            </td>
            <td data-label="Next run" class="role-name">
              <Next next={next} />
            </td>
            <td data-label="Score" class="num">
              {score === null
                ? <span class="dim" title="A score needs five outcomes">{samples}/5 runs</span>
                : <span title={`${samples} outcomes`}>{Math.round(score)}</span>}
            </td>
            <td data-label="Trust" class="one-line">{trust}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function RouteTable({ board }: { readonly board: RepoBoard }) {
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">reports</th>
          <th scope="col">then</th>
          <th scope="col">Ticket</th>
          <th scope="col" class="num">7 days</th>
        </tr>
      </thead>
      <tbody>
        {board.routes.map(({ from, disposition, to, ticket, stop, taken }) => (
          <tr key={`${from} ${disposition}`}>
            <th scope="row" class="role-name">{from}</th>
            <td data-label="reports">{spoken(disposition)}</td>
            <td data-label="then" class="role-name">
              {to ?? <span class="dim">stop: {stop ?? "no next role"}</span>}
            </td>
            <td data-label="Ticket">{ticket ?? <span class="dim">—</span>}</td>
            <td data-label="7 days" class="num">
              {taken === 0 ? <span class="dim">0</span> : `${taken}×`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
