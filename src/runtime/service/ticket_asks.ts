/** What people can ask of a running service about tickets: to write, change or move one. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { discretion } from "svc/runtime/views/discretion.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { SetFields } from "svc/features/tickets/edit_ticket.ts";
import { type PersonDraft, personDraft } from "svc/features/tickets/person_draft.ts";
import type { MoveOrder } from "svc/features/tickets/move_rules.ts";
import { TicketFault } from "svc/features/tickets/ticket_fault.ts";
import type { BrokenTicket, Ticket } from "svc/features/tickets/ticket_list.ts";
import { requestFingerprint } from "svc/features/tickets/ticket_names.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { AT_DASHBOARD } from "./job_asks.ts";

export interface WrittenTicket {
  readonly ticket: Ticket;
  readonly commit: string | undefined;
  /** Runs on it now, by the prompt that it began with. */
  readonly job?: string | undefined;
}

interface VersionedTicket extends WrittenTicket {
  /** SHA-256 of the file's bytes. */
  readonly version: string;
}

/**
 * As the person whose service it is; each is one commit on the registered branch. @throws Failure `refused` for
 * an observer, `not_found`, `usage`; `conflict` for what git or the ticket's state refuses; TicketFault for a broken
 * file, without paths of this machine and secrets
 */
export interface TicketAsks {
  /** @param request its name: under the same one the ticket is written once */
  create(
    repoId: string,
    draft: PersonDraft,
    request?: string,
  ): Promise<WrittenTicket & { readonly existed: boolean }>;
  /** @throws TicketChanged where the file has another version */
  edit(
    repoId: string,
    id: string,
    edit: { readonly version: string; readonly text?: string; readonly fields?: SetFields },
  ): Promise<VersionedTicket & { readonly changes: readonly string[] }>;
  /** @throws Failure `conflict` while a job works on it */
  move(
    repoId: string,
    id: string,
    order: Pick<MoveOrder, "force" | "reason" | "to" | "unblock">,
  ): Promise<VersionedTicket>;
}

interface TicketAsksPlan {
  readonly ports: Pick<
    RuntimePorts,
    "clock" | "db" | "env" | "home" | "load" | "profile" | "redact"
  >;
  repos(): Promise<readonly RegisteredRepo[]>;
  open(repoId: string, doing: string): Promise<Repo>;
  /** Acts of the same name are carried out one after the other. */
  inTurn<T>(request: string | undefined, act: () => Promise<T>): Promise<T>;
  /** Called after each change. */
  changed(): void;
}

async function mustTakeWork(
  { profile }: Pick<RuntimePorts, "profile">,
  repo: Repo,
  doing: string,
  remedy: string,
): Promise<void> {
  if (profile !== "host") {
    throw new Failure("refused", `Cannot ${doing}: this svc changes no repo`, { remedy });
  }
  const fault = await repo.branchFault();
  if (fault === undefined) return;
  throw new Failure("conflict", `Cannot ${doing}: it waits for ${fault.why}`, {
    remedy: fault.remedy,
  });
}

/** Without a manifest that counts every name does. @throws Failure `usage` for a role that it does not name */
async function mustNameRole(repo: Repo, role: string): Promise<void> {
  const { manifest } = await repo.manifest();
  if (manifest !== undefined) roleNamed(manifest, role, "usage");
}

async function fingerprintOf(request: string, asked: PersonDraft): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(Object.entries(asked).sort()));
  return requestFingerprint(request, (await sha256(bytes)).slice(0, 16));
}

/** The ticket of an earlier try. @throws Failure `conflict` where that asked for another one */
function sameAsked(twin: Ticket | BrokenTicket, fingerprint: string): Ticket {
  if ("state" in twin && twin.fingerprint === fingerprint) return twin;
  const wrote = "state" in twin ? `${twin.id}, with other words` : twin.path;
  throw new Failure("conflict", `Cannot create a ticket: an earlier try wrote ${wrote}`, {
    remedy: `Edit ${twin.id ?? twin.path}; another ticket needs a request of its own: ` +
      "in the dashboard, discard this one and begin again",
  });
}

async function runningJob({ db }: Pick<RuntimePorts, "db">, repo: Repo, id: string) {
  const live = await liveJobs(db, repo.id);
  return live.find(({ ticket_id, status }) => ticket_id === id && status === "running")?.id;
}

export function ticketAsks({ ports, repos, open, inTurn, changed }: TicketAsksPlan): TicketAsks {
  const { db, clock, redact } = ports;
  const tell = async (repo: Repo, id: string, from: string | null, to: string) => {
    const data = { repo_id: repo.id, ticket_id: id, from, to };
    await recordEvent(db, { type: "ticket_update", repoId: repo.id, data }, clock.now());
    changed();
  };
  const mustBeNew = async (asked: { readonly request: string; readonly doing: string }) => {
    const names = await ports.load("src/runtime/service/request_names");
    await names.mustNameNoAct(ports, asked);
  };
  const asks: TicketAsks = {
    async create(repoId, asked, request) {
      const doing = "create a ticket";
      using repo = await open(repoId, doing);
      await mustTakeWork(ports, repo, doing, 'svc tickets new --title "…"');
      if (asked.role !== undefined) await mustNameRole(repo, asked.role);
      if (request !== undefined) await mustBeNew({ request, doing });
      const draft = {
        ...await personDraft(repo, asked, redact),
        ...(request !== undefined && { fingerprint: await fingerprintOf(request, asked) }),
      };
      const { created: [ticket], deduplicated: [twin], commit } = await repo.tickets.create(
        [draft],
        { actor: AT_DASHBOARD },
      );
      if (ticket === undefined) {
        return { ticket: sameAsked(twin!, draft.fingerprint!), commit, existed: true };
      }
      await tell(repo, ticket.id, null, ticket.state);
      return { ticket, commit, existed: false };
    },

    async edit(repoId, id, edit) {
      const doing = `edit ${quoted(id)}`;
      using repo = await open(repoId, doing);
      await mustTakeWork(ports, repo, doing, `svc tickets edit ${shellWord(id)}`);
      const shown = discretion(ports, await repos());
      const mustHaveRole = (role: string) => mustNameRole(repo, role);
      const writing = { redact, shown, mustHaveRole, actor: AT_DASHBOARD };
      const edited = await repo.tickets.edit(id, { ...edit, ...writing });
      const { state } = edited.ticket;
      if (edited.changes.length > 0) await tell(repo, id, state, state);
      return { ...edited, job: await runningJob(ports, repo, id) };
    },

    async move(repoId, id, order) {
      const doing = `move ${quoted(id)}`;
      using repo = await open(repoId, doing);
      await mustTakeWork(ports, repo, doing, `svc tickets move ${id} ${order.to}`);
      const job = await runningJob(ports, repo, id);
      if (job !== undefined) {
        throw new Failure("conflict", `Cannot ${doing}: job ${job} works on it`, {
          remedy: `Stop it first: svc jobs cancel ${job}`,
        });
      }
      const writing = { actor: AT_DASHBOARD, vouch: true };
      const { ticket, from, to, version, commit } = await repo.tickets.move(id, {
        ...order,
        ...writing,
      });
      await tell(repo, id, from, to);
      return { ticket, version, commit };
    },
  };
  /** Tells the caller what is wrong with the file, without paths and secrets that the caller may not see. */
  const told = async <T>(asked: Promise<T>): Promise<T> => {
    try {
      return await asked;
    } catch (thrown) {
      if (!(thrown instanceof TicketFault)) throw thrown;
      const shown = discretion(ports, await repos());
      throw new TicketFault(shown(thrown.message), shown(thrown.remedy));
    }
  };
  return {
    create: (...asked) => told(inTurn(asked[2], () => asks.create(...asked))),
    edit: (...asked) => told(asks.edit(...asked)),
    move: (...asked) => told(asks.move(...asked)),
  };
}
