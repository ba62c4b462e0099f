/** Budgets that jobs share, with the real engine, git, SQLite and HTTP; the model's price is the user's. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import { dayOf } from "svc/features/jobs/use_store.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  AT_NOON,
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, TEAM, turns } from "tests/unit/runtime/team.ts";

/** A dollar for a thousand tokens, in and out. */
const priced = (budgets: Record<string, unknown>) => () =>
  Promise.resolve(Config.parse({
    models: { prices: { "*": { input: 1_000, cached_input: 1_000, output: 1_000 } } },
    budgets,
  }));

/** Half of the work first: what is there when the money is gone is neither nothing nor whole. */
const HALVES = turns(
  call("file_write", { path: "half.txt", content: "half\n" }),
  call("check_run", { name: "test" }),
  call("file_write", { path: "fixed.txt", content: "fixed\n" }),
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted"),
);

async function place(budgets: Record<string, unknown>, manifest?: (text: string) => string) {
  const repo = await harnessedRepo(manifest && { manifest });
  const base = await tempFolder();
  const ports = await enginePorts(base.path, { clock: AT_NOON });
  const own = { ...ports, settings: priced(budgets) };
  const id = await registered(ports, repo.path);
  const ticket = await ticketed(ports, repo.path);
  return {
    ...{ repo, ports: own, id, ticket },
    with: (more: Record<string, unknown>) => ({ ...ports, settings: priced(more) }),
    /** The one job, and what its attempts set aside and spent. */
    async job() {
      const job = await ports.db.selectFrom("jobs").selectAll().where("role", "=", "engineer")
        .executeTakeFirstOrThrow();
      const uses = await ports.db.selectFrom("job_uses").selectAll().execute();
      return { job, spent: uses.reduce((sum, { spent_usd }) => sum + spent_usd, 0), uses };
    },
    async [Symbol.asyncDispose]() {
      await ports[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a job stops before the day's budget is crossed, waits without an attempt used, and goes on when it is raised", async () => {
  await using it = await place({ day: "$8" });
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer: HALVES } });
  await queued(it.ports, it.id, "engineer", it.ticket);
  await carryOut(it.ports, endpoint.url, { concurrency: 1 });

  const { job, spent } = await it.job();
  assert.deepEqual([job.status, job.category, job.attempt], ["pending", "budget", 0]);
  assert.match(
    job.reason!,
    /no turn fits into what is left of the day's budget of \$8\.00 \(budgets\.day in ~\/\.svc\/config\.yaml\): \$\d+\.\d\d is spent on \d{4}-\d\d-\d\d \(UTC\)[^]*Raise budgets\.day/,
  );
  assert.ok(spent > 0 && spent <= 8, `${spent}`);
  assert.equal((await ticketsOf(it.ports, it.repo.path))[0]!.state, "in-progress");

  // The same budget: it is not begun again in vain. A higher one: svc looks when it starts.
  const asked = endpoint.requests.length;
  await carryOut(it.with({ day: "$8.50" }), endpoint.url, { concurrency: 1 });
  assert.ok((await it.job()).spent <= 8.5);
  await carryOut(it.with({ day: "$500" }), endpoint.url, { concurrency: 1 });
  assert.ok(endpoint.requests.length > asked);
  assert.equal((await ticketsOf(it.ports, it.repo.path))[0]!.state, "done");
  const [first] = await jobLines(it.ports);
  assert.equal(first, "engineer T-0001 completed submitted");
});

Deno.test("nothing is asked where a ticket's or role's budget is used up, and the manifest cannot raise it", async () => {
  const manifest = (text: string) => `${text}\nbudgets:\n  role: $9000\n  ticket: $4000\n`;
  await using it = await place({ role: "$0.01" }, manifest);
  await using endpoint = modelEndpoint(TEAM);
  const job = await queued(it.ports, it.id, "engineer", it.ticket);
  await it.ports.db.insertInto("job_uses").values({
    ...{ job_id: job.id, generation: 1, day: dayOf(AT_NOON.now()) },
    ...{ repo_id: it.id, role: "engineer", ticket_id: null, cost_basis: null, cost_usd: null },
    ...{ turns: 0, tool_calls: 0, tokens_in: 0, tokens_cached: 0, tokens_out: 0 },
    ...{ spent_usd: 0.02, spent_tokens: 0, held_usd: 0, held_tokens: 0 },
  }).execute();
  await carryOut(it.ports, endpoint.url, { concurrency: 1 });
  const { job: waiting } = await it.job();
  assert.deepEqual([waiting.status, waiting.category, waiting.attempt], ["pending", "budget", 0]);
  assert.match(
    waiting.reason!,
    /^Cannot start "engineer": nothing is left of the day's budget of role "engineer" of \$0\.01/,
  );
  assert.ok(waiting.run_after > AT_NOON.now() + 60_000);
  assert.equal(endpoint.requests.filter(({ request }) => request.tools).length, 0);
  assert.equal((await ticketsOf(it.ports, it.repo.path))[0]!.state, "backlog");
});

Deno.test("a manifest lowers the budget; jobs that run at once never cross it together", async () => {
  await using it = await place({ day: "$9000" }, (text) => `${text}\nbudgets:\n  day: $40\n`);
  await using endpoint = modelEndpoint(TEAM);
  await ticketed(it.ports, it.repo.path, { title: "Another" });
  await queued(it.ports, it.id, "engineer", it.ticket);
  await queued(it.ports, it.id, "ceo");
  await carryOut(it.ports, endpoint.url, { concurrency: 2 });
  const { spent, uses } = await it.job();
  assert.ok(spent > 0 && spent <= 40, `${spent}`);
  assert.ok(new Set(uses.map(({ job_id }) => job_id)).size >= 2);
});

Deno.test("a model that costs nothing has no budget; one without a price needs tokens", async () => {
  await using it = await place({ day: "$0.01" });
  await using endpoint = modelEndpoint(TEAM);
  const free = () => Promise.resolve(Config.parse({ budgets: { day: "$0.01", ticket_tokens: 1 } }));
  await queued(it.ports, it.id, "engineer", it.ticket);
  await carryOut({ ...it.ports, settings: free }, endpoint.url, { concurrency: 1 });
  assert.equal((await it.job()).job.disposition, "submitted");
});
