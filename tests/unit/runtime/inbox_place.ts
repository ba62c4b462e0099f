/** A registered repo with T-0001 and its branch, and a person who decides about it. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { personDecisionsOn } from "svc/features/routing/decision_store.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { carryOutAct } from "svc/runtime/inbox/decide.ts";
import type { PersonAct, PersonActed } from "svc/runtime/inbox/person_act.ts";
import { inputsOf } from "svc/runtime/inbox/person_decision.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  type HarnessedPlan,
  harnessedRepo,
  registered,
  type Taps,
  ticketed,
} from "./engine_place.ts";

const OF_A_JOB = "Svc-Role: engineer\nSvc-Job: earlier\nSvc-Ticket: T-0001";
export const BRANCH = "svc/T-0001-make-the-test-pass";

const SIGNAL = new AbortController().signal;

/** Lets an act be written without its repo. */
type Without<T> = T extends unknown ? Omit<T, "repo"> : never;

/** @param review the work is handed in; else the ticket is blocked */
export async function inboxPlace(
  { review = false, checks = true, taps = {}, ...plan }:
    & HarnessedPlan
    & { readonly review?: boolean; readonly checks?: boolean; readonly taps?: Taps } = {},
) {
  const parts = new AsyncDisposableStack();
  const held = parts.use(
    await harnessedRepo({
      ...plan,
      manifest: (text) => {
        const named = checks ? text : text.replace(/^ {2}checks:\n {4}- .*\n/m, "  checks: []\n");
        return plan.manifest?.(named) ?? named;
      },
    }),
  );
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path, taps));
  const id = await registered(ports, held.path);
  const [row] = await listRepos(ports.db);
  await ticketed(ports, held.path);
  const repo = parts.use(await new RepoOpener(ports).open(row!, { signal: SIGNAL }));
  const move = (to: "in-progress" | "review" | "blocked", more = {}) =>
    moveTicket(repo, "T-0001", { to, actor: "svc", ...more });
  await move("in-progress", { branch: BRANCH });
  await held.git("switch", "--quiet", "-c", BRANCH);
  const commit = (await held.commit(`fix: it\n\n${OF_A_JOB}`, { "fixed.txt": "yes\n" })).trim();
  await held.git("switch", "--quiet", "main");
  if (review) await move("review");
  else await move("blocked", { unblock: { owner: "maintainer", action: "say what to do" } });
  const settled = { ...ports, signal: SIGNAL };
  return {
    ...{ parts, held, ports, id, repo, commit, move },
    ticket: async () => (await repo.tickets.find("T-0001")).ticket,
    text: async () => await held.read((await repo.tickets.find("T-0001")).ticket.path),
    decide: (
      act: Without<PersonAct>,
      { by = "Ada", look, repo: on = repo }: {
        readonly by?: string;
        readonly look?: () => Promise<unknown>;
        readonly repo?: typeof repo;
      } = {},
    ): Promise<PersonActed> => {
      const given = { repo: id, ...act } as PersonAct;
      return carryOutAct({ ports: settled, repo: on, by }, given, look);
    },
    settle: () => settlePending(settled, repo),
    owed: () => pendingSettlements(ports.db, id),
    decisions: async () =>
      (await personDecisionsOn(ports.db, id, "T-0001", 20)).map((one) => ({
        ...one,
        inputs: inputsOf(one),
      })),
    jobs: () => ports.db.selectFrom("jobs").selectAll().orderBy("created_at").execute(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
