/** For scripts: writes what jobs used into a repo's own database, today and yesterday in UTC. `seed_uses.ts <repo>` */
import { repoId } from "svc/core/ids.ts";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { addUse, NO_USE } from "svc/features/jobs/use_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { openScoped } from "svc/store/placement.ts";

const root = await Deno.realPath(Deno.args[0]!);
const ports = {
  clock: systemClock,
  files: denoFiles(),
  home: homeOf(denoEntrance(import.meta.url).env),
};
await using store = await openScoped(ports, { repo: root });
const { db } = store;
const repo_id = await repoId(root);
const today = Math.floor(Date.now() / 86_400_000) * 86_400_000;

/** In dollars; undefined for a model of this machine, null where no price is known. */
const USES = [
  {
    role: "engineer",
    ticket: "T-0001",
    model: "large-1",
    usd: 1.25,
    at: today - 1,
    tokens: 40_000,
  },
  { role: "engineer", ticket: "T-0002", model: "large-1", usd: 0.5, at: today, tokens: 20_000 },
  { role: "qa", ticket: "T-0002", model: "own-model", at: today, tokens: 1_500_000 },
  { role: "ceo", ticket: null, model: "odd-model", usd: null, at: today, tokens: 9_000 },
] as const;

for (const { role, ticket, model, at, tokens, ...priced } of USES) {
  const asked = { trigger: "manual", source_trust: "contributor", ticket_id: ticket } as const;
  const { job } = await enqueue(db, { repo_id, role, ...asked }, at);
  const claimed = (await claimNext(db, { owner: "seed", now: at, jobId: job.id }))!;
  const usd = "usd" in priced ? priced.usd : undefined;
  await addUse(db, claimed, {
    ...{
      ...NO_USE,
      turns: 3,
      tokens_in: tokens,
      tokens_cached: tokens / 2,
      tokens_out: tokens / 100,
    },
    ...{ model, spent_usd: usd ?? 0, spent_tokens: usd === undefined ? 0 : tokens },
    cost: typeof usd === "number"
      ? { cost_basis: "price", cost_usd: usd }
      : { cost_basis: usd === null ? "unknown" : "local", cost_usd: null },
  }, at);
  await finish(db, claimed, { disposition: "submitted", evidence: "live", model }, at);
}
