/** Promises of spec section 6: events. */
import type { Requirement } from "./requirement.ts";

export const SECTION_6 = [
  {
    id: "6:stream:needs-session",
    section: "6",
    promise: "The events stream needs an authenticated session.",
  },
  {
    id: "6:stream:get-only",
    section: "6",
    promise: "The events stream answers to GET only.",
  },
  {
    id: "6:stream:initial-keepalive",
    section: "6",
    promise: "The events stream begins with a keepalive comment.",
  },
  {
    id: "6:stream:replays-recent-events",
    section: "6",
    promise: "The events stream replays buffered recent events before new ones.",
  },
  {
    id: "6:stream:streams-new-events",
    section: "6",
    promise: "The events stream delivers events as they happen.",
  },
  {
    id: "6:stream:data-line",
    section: "6",
    promise:
      "Each data line is a JSON object with a string `type` and a string `data` that contains JSON.",
  },
  {
    id: "6:status-change:on-control",
    section: "6",
    promise: "`status_change` is emitted on pause, resume, restart and stop.",
  },
  {
    id: "6:status-change:on-worker-change",
    section: "6",
    promise: "`status_change` is emitted when the state of the workers changes.",
  },
  {
    id: "6:status-change:state-field",
    section: "6",
    promise: "The data of `status_change` has a `state` field.",
  },
  {
    id: "6:scan-complete:after-dashboard-scan",
    section: "6",
    promise: "`scan_complete` is emitted when a scanner pass started from the dashboard ends.",
  },
  {
    id: "6:runtime-events:jobs",
    section: "6",
    promise: "The runtime broadcasts job updates.",
  },
  {
    id: "6:runtime-events:telemetry",
    section: "6",
    promise: "The runtime broadcasts telemetry updates.",
  },
  {
    id: "6:ingress:cron",
    section: "6",
    promise: "Cron triggers run in `serve`.",
  },
  {
    id: "6:ingress:form-encoded",
    section: "6",
    promise: "The code host's webhooks are taken as JSON and as a form with the field `payload`.",
  },
  {
    id: "6:ingress:issue-ends",
    section: "6",
    promise:
      "An issue of the code host that is closed, deleted, transferred or unlabelled ends the work on its ticket.",
  },
  {
    id: "6:ingress:issue-order",
    section: "6",
    promise: "Events of one issue count in the order of their own times.",
  },
  {
    id: "6:ingress:tracker-body",
    section: "6",
    promise: "A webhook of the issue tracker may hold 5 MiB.",
  },
  {
    id: "6:code-host:published-api",
    section: "6",
    promise:
      "What svc asks the code host, from the push to the merge, is as its published API description says.",
  },
  {
    id: "6:code-host:limits",
    section: "6",
    promise: "Limits of the code host are told apart, and waited for as it documents.",
  },
  {
    id: "6:code-host:single-sign-on",
    section: "6",
    promise: "A token that needs single sign-on is named with the page that authorises it.",
  },
  {
    id: "6:code-host:adopted",
    section: "6",
    promise: "A pull request that exists already is adopted.",
  },
  {
    id: "6:code-host:missed-deliveries",
    section: "6",
    promise:
      "Deliveries that failed while svc was down are asked for again where a token allows it.",
  },
  {
    id: "6:code-host:open-issues",
    section: "6",
    promise: "A survey compares the open issues of the code host with the tickets.",
  },
  {
    id: "6:code-host:merged-there",
    section: "6",
    promise: "A pull request's work is in the clone's branch before its ticket is done.",
  },
] as const satisfies readonly Requirement[];
