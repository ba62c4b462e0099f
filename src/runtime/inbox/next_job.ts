/** The next job of a ticket with the role or the model that a person chose. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { orderFor, queueJob, trustOfTicket } from "svc/features/jobs/order_job.ts";
import { knownModels } from "svc/features/models/local/profile_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { roleFor } from "svc/features/routing/choose.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { ticketUse } from "svc/runtime/run/pick_ticket.ts";
import type { Db } from "svc/store/schema.ts";

/** Nobody reads a longer list of models. */
const MODELS_KNOWN = 20;

export interface ChosenNext {
  readonly role: string;
  /** As `--model-endpoint` takes it; undefined: as the role's routes say. */
  readonly model: string | undefined;
}

/** Such as `http://127.0.0.1:11434/v1#qwen3-coder:30b`. */
export async function modelsToChoose(db: Db): Promise<string[]> {
  return (await knownModels(db, MODELS_KNOWN)).map(({ endpoint, model }) => `${endpoint}#${model}`);
}

/** Only models that a person had svc ask before: the config, not a card, decides where a repo's code may go. */
async function mustBeKnown(db: Db, model: string, doing: string): Promise<void> {
  const known = await modelsToChoose(db);
  if (known.includes(model)) return;
  throw new Failure(
    "not_found",
    `Cannot ${doing}: svc has not asked the model ${quoted(model)} yet`,
    {
      remedy: known.length === 0
        ? "svc models list"
        : `Choose one of: ${known.slice(0, 5).join(", ")}`,
    },
  );
}

/** @throws Failure `not_found` for a role or model that there is not; `conflict` for a role that does not fit the state */
export async function chosenNext(
  db: Db,
  repo: Repo,
  ticket: Pick<Ticket, "id" | "role" | "state">,
  { role: named, model, doing }: {
    readonly role?: string | undefined;
    readonly model?: string | undefined;
    readonly doing: string;
  },
): Promise<ChosenNext> {
  if (model !== undefined) await mustBeKnown(db, model, doing);
  const { manifest } = await repo.manifest();
  const role = named ?? (manifest && roleFor(ticket, manifest)) ?? ticket.role;
  const use = ticketUse(await repo.role(role));
  const wanted = ticket.state === "review" ? "judges" : "works";
  if (use === wanted) return { role, model };
  const what = wanted === "judges" ? "judges no work" : "does no work on tickets";
  throw new Failure("conflict", `Cannot ${doing}: role ${quoted(role)} ${what}`, {
    remedy: "Choose another role of the manifest",
  });
}

/** Call it in a transaction, after what waited was cancelled. @returns id of the job */
export async function queueNext(
  tx: Db,
  repo: Repo,
  ticket: Pick<Ticket, "id" | "priority" | "source">,
  { role, model, decision, now }: ChosenNext & { readonly decision: string; readonly now: number },
): Promise<string> {
  const { manifest } = await repo.manifest();
  const order = orderFor({ id: repo.id, manifest }, {
    ...{ role, ticket, trigger: "manual", trust: trustOfTicket(ticket), decision },
    ...(model !== undefined && { payload: { model } }),
  });
  return (await queueJob(tx, order, { now, profile: "host" })).job.id;
}

/** The model that a person chose for this job; no text of a repo gets into its payload. */
export function modelOfJob({ payload }: { readonly payload: string }): string | undefined {
  const { model } = JSON.parse(payload) as { readonly model?: unknown };
  return typeof model === "string" ? model : undefined;
}
