/** What the palette can find: what this page knows at once, and tickets and jobs that the service looks for. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JobItem } from "svc/runtime/views/job_item.ts";
import type { Jobs } from "svc/runtime/views/jobs_view.ts";
import type { StatusAnswer } from "svc/runtime/views/status_view.ts";
import type { RoleHealth } from "svc/runtime/views/roles_view.ts";
import { read } from "svc/dashboard/state/api.ts";
import { type ControlKey, CONTROLS } from "svc/dashboard/state/controls.ts";
import { type Findable, found } from "svc/dashboard/state/finder.ts";
import { controlsOfNode, NODE_VERBS } from "svc/dashboard/state/node_controls.ts";
import { go, jobHref, path, ticketHref } from "svc/dashboard/state/place.ts";
import { nextTheme } from "svc/dashboard/state/prefs.ts";
import { useResource } from "svc/dashboard/state/resource.ts";
import { openControl, sheet } from "svc/dashboard/state/sheets.ts";
import { pausedNow, pressMarked, SHORTCUTS } from "svc/dashboard/state/shortcuts.ts";
import { ticketsUrl } from "svc/dashboard/state/ticket_query.ts";
import type { TicketItem, Tickets } from "svc/runtime/views/tickets_view.ts";
import { shortId } from "svc/dashboard/state/words.ts";

/** A person who types is asked for after this time. */
const CALM_MS = 150;
const LOOKED_FOR = "8";

/** Who types a number means a ticket. */
const TICKET_ID = /^\s*(?:t-)?\d+\s*$/i;

const pages = (): Findable[] =>
  SHORTCUTS["Go to"]!.map(({ keys, about, run }) => ({
    ...{ id: `page-${about}`, group: "Pages", text: about, keys, run },
  }));

const OF_TICKET: readonly Findable[] = [
  { key: "e", text: "Edit this ticket" },
  { key: "m", text: "Move this ticket" },
].map(({ key, text }) => ({
  ...{ id: `do-${key}`, group: "Actions", text, keys: [key], run: () => pressMarked(key) },
}));

function actions(): Findable[] {
  const control = (key: ControlKey): Findable => {
    const { name, about, shortcut } = CONTROLS[key];
    return {
      ...{ id: `do-${key}`, group: "Actions", text: name, about, run: () => openControl(key) },
      ...(shortcut !== undefined && { keys: [shortcut] }),
    };
  };
  return [
    ...path.peek() === "/ticket" ? OF_TICKET : [],
    {
      ...{ id: "do-new-ticket", group: "Actions", text: "New ticket", keys: ["n"] },
      run: () => sheet.value = { kind: "new-ticket" },
    },
    control(pausedNow.value ? "resume" : "pause"),
    ...(["run-role", "scan", "restart", "stop", "emergency-stop"] as const).map(control),
    {
      ...{ id: "do-theme", group: "Actions", text: "Change the theme", keys: ["t"] },
      run: nextTheme,
    },
    {
      ...{ id: "do-keys", group: "Actions", text: "Show all keys", keys: ["?"] },
      run: () => sheet.value = { kind: "help" },
    },
  ];
}

function rolesOf(health: RoleHealth | undefined): Findable[] {
  return (health?.roles ?? []).flatMap(({ role, repo, repo_id }) => [{
    ...{ id: `role-${repo_id}-${role}`, group: "Roles", text: role, about: repo },
    run: () => go(`/roles?q=${encodeURIComponent(role)}`),
  }, {
    ...{ id: `run-${repo_id}-${role}`, group: "Run a role", text: `Run ${role}`, about: repo },
    run: () => openControl("run-role", { repo_id, role }),
  }]);
}

function nodesOf(status: Partial<StatusAnswer> | undefined): Findable[] {
  return (status?.nodes ?? []).flatMap((node) =>
    controlsOfNode(node).map((key) => ({
      ...{ id: `${key}-${node.id}`, group: "Nodes", text: `${NODE_VERBS[key]} ${node.name}` },
      about: `the node is ${node.condition}`,
      run: () => openControl(key, { node: node.name }),
    }))
  );
}

const ticketOf = ({ id, repo_id, title, state, repo }: TicketItem): Findable => ({
  ...{ id: `ticket-${repo_id}-${id}`, group: "Tickets", text: `${id} ${title}` },
  about: `${state} · ${repo}`,
  run: () => go(ticketHref(repo_id, id)),
});

const jobOf = ({ id, role, repo, ticket_id, status }: JobItem): Findable => ({
  ...{
    id: `job-${id}`,
    group: "Jobs",
    text: `${role}${ticket_id === null ? "" : ` on ${ticket_id}`}`,
  },
  about: `${status} · ${repo} · ${shortId(id)} ${id}`,
  run: () => go(jobHref(id)),
});

interface Looked {
  readonly tickets: readonly TicketItem[];
  readonly jobs: readonly JobItem[];
}

async function lookFor(query: string, signal: AbortSignal): Promise<Looked> {
  const words = encodeURIComponent(query.trim());
  const [{ tickets }, { jobs }] = await Promise.all([
    read<Tickets>(ticketsUrl({ q: query }, { limit: LOOKED_FOR }), signal),
    words === "" ? { jobs: [] } : read<Jobs>(`/api/jobs?search=${words}`, signal),
  ]);
  return { tickets, jobs };
}

export function useFindables(query: string) {
  const roles = useResource<RoleHealth>("/api/roles");
  const status = useResource<Partial<StatusAnswer>>("/api/status", { open: true });
  const looked = useSignal<Looked>({ tickets: [], jobs: [] });
  const busy = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const asking = new AbortController();
    busy.value = true;
    const timer = setTimeout(async () => {
      try {
        looked.value = await lookFor(query, asking.signal);
        fault.value = undefined;
      } catch (thrown) {
        if (asking.signal.aborted) return;
        fault.value = (thrown as Error).message;
      }
      busy.value = false;
    }, query === "" ? 0 : CALM_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [query]);
  const known = [
    ...pages(),
    ...actions(),
    ...(query.trim() === "" ? [] : [...nodesOf(status.data.value), ...rolesOf(roles.data.value)]),
  ];
  // The service finds by words that may stand in a text alone; older answers must fit by themselves.
  const answers = [
    ...looked.value.tickets.map(ticketOf),
    ...looked.value.jobs.slice(0, Number(LOOKED_FOR)).map(jobOf),
  ];
  const fitting = busy.value ? found(answers, query) : answers;
  const others = found(known, query);
  return {
    shown: TICKET_ID.test(query) ? [...fitting, ...others] : [...others, ...fitting],
    busy: busy.value,
    fault: fault.value,
  };
}
