/** Breaks of what code hosts and issue trackers send, and of what svc asks them. */
import type { Break } from "./break.ts";

export const CODE_HOSTS: readonly Break[] = [
  {
    ids: ["6:ingress:form-encoded"],
    file: "src/http/webhook_routes.ts",
    find: 'field.slice("payload=".length).replaceAll("+", " ")',
    put: 'field.slice("payload=".length)',
  },
  {
    ids: ["6:ingress:form-encoded"],
    file: "src/http/gate.ts",
    find: "(body.forms === true && isForm(headers))",
    put: "(body.forms !== true && isForm(headers))",
  },
  {
    ids: ["6:ingress:issue-ends"],
    file: "src/features/webhooks/fulfil_ticket.ts",
    find: 'found.state === "backlog" ?',
    put: 'found.state === "done" ?',
  },
  {
    ids: ["6:ingress:issue-ends"],
    file: "src/features/webhooks/github_rules.ts",
    find: 'action: ["transferred"]',
    put: 'action: ["moved"]',
  },
  {
    ids: ["6:ingress:issue-order"],
    file: "src/features/webhooks/fulfil_ticket.ts",
    find: "timeOf(other.item.at) > timeOf(at)",
    put: "timeOf(other.item.at) < timeOf(at)",
  },
  {
    ids: ["6:ingress:issue-order"],
    file: "src/features/webhooks/fulfil_ticket.ts",
    find: '"final" in other.item ||',
    put: "",
  },
  {
    ids: ["6:ingress:tracker-body"],
    file: "src/http/webhook_routes.ts",
    find: "LINEAR_DELIVERY_BYTES = 5 *",
    put: "LINEAR_DELIVERY_BYTES = 4 *",
  },
];
