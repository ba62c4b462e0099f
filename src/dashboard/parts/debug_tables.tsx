/** Tables of received webhooks and of refused tool calls. */
import type { Debug } from "svc/runtime/views/debug_view.ts";
import { spoken } from "svc/dashboard/state/words.ts";
import { Age, Chip, type ChipTone, JobLink } from "./facts.tsx";

function toneOf(outcome: string): ChipTone {
  if (/refus|invalid|denied|fail|unverified|bad/.test(outcome)) return "failing";
  if (/duplicate|ignored|known|skipped/.test(outcome)) return "plain";
  return /wait|pending/.test(outcome) ? "waiting" : "done";
}

export function WebhookTable({ of }: { readonly of: Debug["webhooks"] }) {
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">Event</th>
          <th scope="col">Subject</th>
          <th scope="col">Why</th>
          <th scope="col">Source</th>
          <th scope="col">Delivery</th>
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ source, id, event, subject, outcome, reason, at }) => (
          <tr key={`${source} ${id}`}>
            <td data-label="Outcome">
              <Chip tone={toneOf(outcome)}>{spoken(outcome)}</Chip>
            </td>
            <th scope="row">{event}</th>
            <td data-label="Subject">{subject ?? <span class="dim">—</span>}</td>
            <td data-label="Why" class="wrap">{reason ?? <span class="dim">—</span>}</td>
            <td data-label="Source">{source}</td>
            <td data-label="Delivery" class="mono cut" title={id}>{id}</td>
            <td data-label="When">
              <Age at={at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DenialRow = Pick<Debug["denials"][number], "at" | "tool" | "part" | "reason">;

export function DenialTable(
  { of }: {
    readonly of: readonly (DenialRow & { readonly job_id?: string; readonly role?: string })[];
  },
) {
  const jobs = of.some(({ job_id }) => job_id !== undefined);
  return (
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">Refused by</th>
          <th scope="col">Why</th>
          {jobs && <th scope="col">Role</th>}
          {jobs && <th scope="col">Job</th>}
          <th scope="col">When</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ at, tool, part, reason, job_id, role }) => (
          <tr key={`${at} ${tool} ${part}`}>
            <th scope="row" class="mono">{tool}</th>
            <td data-label="Refused by">{spoken(part)}</td>
            <td data-label="Why" class="wrap">{reason}</td>
            {jobs && <td data-label="Role">{role}</td>}
            {jobs && <td data-label="Job">{job_id !== undefined && <JobLink id={job_id} />}</td>}
            <td data-label="When">
              <Age at={at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
