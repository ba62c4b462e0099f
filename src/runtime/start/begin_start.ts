/** Begins `svc start`: gathers facts, plans, checks the models, carries the plan out. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { repoAt } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { OwnerPorts, StoredPorts } from "svc/runtime/ports.ts";
import { chooseRoleModel, openRoleModel } from "svc/runtime/job/open_role_model.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { carryOutStartPlan } from "./carry_out.ts";
import { orElsewhere } from "./elsewhere.ts";
import { gatherStartFacts, type StartFlags } from "./facts.ts";
import { planStart, type StartPlan } from "./plan.ts";

/** The repo for which the Worker was started. @throws Failure `conflict` if it was unregistered */
export async function startedRepo(
  { db }: StoredPorts,
  root: string,
): Promise<RegisteredRepo> {
  const repo = await repoAt(db, root);
  if (repo !== undefined) return repo;
  throw new Failure(
    "conflict",
    `Cannot start svc in ${quoted(root)}: it is not registered any more`,
    {
      remedy: "Start svc again",
    },
  );
}

/**
 * Asks each model that a role would use once, before any agent runs (spec section 7, CLI condition 7).
 * @returns notes for the user, such as which model was chosen
 * @throws Failure `environment` that names endpoint and way out; `refused` as `chooseModel`
 */
export async function askModels(
  ports: OwnerPorts,
  repo: Repo,
  { roles }: Pick<Manifest, "roles">,
  { modelEndpoint, asks }: {
    readonly modelEndpoint: string | undefined;
    /** Told of each model before it is asked, which may take long. */
    asks(what: string): void;
  },
): Promise<string[]> {
  const rules = endpointRules(await ports.settings(), ports.home.config);
  const asked = new Set<string>();
  const notes = new Set<string>();
  for (const [role, definition] of Object.entries(roles)) {
    const { route } = await chooseModel(
      repo.folder,
      { role, tier: definition.tier, modelEndpoint },
      rules,
    );
    const key = JSON.stringify([route.endpoint, route.model, route.apiKeyEnv]);
    if (asked.has(key)) continue;
    asked.add(key);
    asks(`asks ${quoted(route.model || "the model")} at ${quoted(route.endpoint)} what it can do`);
    const opened = chooseRoleModel(ports, { role, definition, modelEndpoint, repo })
      .then((chosen) => openRoleModel(ports, chosen));
    const model = await opened.catch(async (thrown) => {
      throw await orElsewhere(ports, thrown, route);
    });
    for (const note of model.notes) notes.add(note);
  }
  return [...notes];
}

interface BegunStart {
  readonly plan: StartPlan;
  readonly notes: readonly string[];
}

/** @throws Failure the plan's refusal, after calling `saw`; as `askModels` */
export async function beginStart(
  ports: OwnerPorts,
  row: RegisteredRepo,
  asked: {
    readonly flags: StartFlags;
    readonly otherStart: string | undefined;
    readonly modelEndpoint: string | undefined;
    saw(found: readonly string[]): void;
    asks(what: string): void;
  },
): Promise<BegunStart> {
  const { flags, otherStart, saw } = asked;
  using repo = await new RepoOpener(ports).open(row, { signal: ports.signal });
  const facts = await gatherStartFacts(ports, repo, {
    flags,
    ...(otherStart !== undefined && { otherStart }),
  });
  const plan = planStart(facts);
  saw(plan.saw);
  if (plan.refusal !== undefined) throw plan.refusal;
  const notes = await askModels(ports, repo, facts.manifest!, asked);
  await carryOutStartPlan(ports, repo, plan);
  return { plan, notes };
}
