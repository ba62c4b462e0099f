/** A decision: its rule, the facts it was made from, and the rules that did not match. */
import type { DecisionItem } from "svc/runtime/views/decision_item.ts";
import { shortId, spoken } from "svc/dashboard/state/words.ts";
import { Age, Facts, JobLink, Outcome, TicketLink } from "./facts.tsx";

export function Follows({ of }: { readonly of: DecisionItem }) {
  const parts = [
    of.move !== null && <span key="move">{of.ticket_id ?? "ticket"} {of.move}</span>,
    of.next_role !== null && (
      <span key="next">
        then {of.next_role}
      </span>
    ),
    of.stop !== null && <span key="stop" class="stop">stop: {of.stop}</span>,
  ].filter((part) => part !== false);
  return (
    <span class="follows">
      {parts.length > 0 ? parts : <span class="dim">nothing follows</span>}
    </span>
  );
}

const shown = (value: unknown): string =>
  typeof value === "string" ? value : value === null ? "none" : JSON.stringify(value);

interface DecisionProps {
  readonly open?: boolean;
  /** Each is named: decisions of several are listed, and ids of tickets are alike in them. */
  readonly repos?: boolean;
}

export function Decision({ of, open, repos }: DecisionProps & { readonly of: DecisionItem }) {
  return (
    <details class="decision" data-item open={open}>
      <summary>
        <span class="decision-line">
          <span class="decision-role">{of.role}</span>
          {repos === true && <span class="dim">{of.repo}</span>}
          <Outcome name={of.disposition} />
          <Follows of={of} />
          {!of.applied && <span class="tag">rehearsal</span>}
        </span>
        <Age at={of.at} />
      </summary>
      <div class="decision-body">
        <Facts
          of={[
            [
              "Why",
              <span key="rule">
                rule <code>{of.rule}</code>
              </span>,
            ],
            // A person may decide about a ticket that no job has touched.
            of.job_id !== of.id && ["Job", <JobLink key="job" id={of.job_id} />],
            of.ticket_id !== null &&
            ["Ticket", <TicketLink key="ticket" repo={of.repo_id} id={of.ticket_id} />],
            ["Repo", of.repo],
            of.next_job !== null && [
              "Brought",
              <JobLink key="next" id={of.next_job} text={of.next_role ?? shortId(of.next_job)} />,
            ],
          ]}
        />
        <h3>Facts</h3>
        {Object.keys(of.inputs).length === 0
          ? <p class="dim">Nothing was stored.</p>
          : (
            <dl class="inputs">
              {Object.entries(of.inputs).map(([name, value]) => (
                <div key={name}>
                  <dt>{spoken(name)}</dt>
                  <dd class="mono">{shown(value)}</dd>
                </div>
              ))}
            </dl>
          )}
        <h3>Other rules</h3>
        {of.alternatives.length === 0
          ? <p class="dim">No other rule came close.</p>
          : (
            <ul class="alternatives">
              {of.alternatives.map(({ rule, why }) => (
                <li key={rule}>
                  <code>{rule}</code> {why}
                </li>
              ))}
            </ul>
          )}
      </div>
    </details>
  );
}

export function Decisions(
  { of, open, repos = false }: DecisionProps & { readonly of: readonly DecisionItem[] },
) {
  return (
    <div class="decisions">
      {of.map((item) => (
        <Decision
          key={item.id}
          of={item}
          open={open === true && of.length === 1}
          repos={repos}
        />
      ))}
    </div>
  );
}
