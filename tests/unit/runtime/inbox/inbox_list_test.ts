/** What a person is told who runs no service: of what died a moment ago, and of what somebody deleted. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { serviceBegan } from "svc/features/jobs/service_store.ts";
import { dayOf } from "svc/features/jobs/use_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import type { Life } from "svc/platform/process/identity.ts";
import { cardsNow, inboxOf } from "svc/runtime/inbox/inbox_list.ts";
import { needsOfRepos } from "svc/runtime/retention/repo_needs.ts";
import { placeStatus } from "svc/runtime/service/place_status.ts";
import { CARDS_A_ZONE } from "svc/runtime/views/pipeline_view.ts";
import { sql } from "svc/store/query.ts";
import { AT_NOON, queued } from "tests/unit/runtime/engine_place.ts";
import { BRANCH, inboxPlace } from "tests/unit/runtime/inbox_place.ts";

Deno.test("a job of a ticket that is gone needs a person once its process is dead, whatever its lease", async () => {
  await using place = await inboxPlace();
  const { ports } = place;
  const repos = await listRepos(ports.db);
  const { id } = await queued(ports, repos[0]!.id, "engineer", "T-0009");
  const now = ports.clock.now();
  await ports.db.updateTable("jobs").where("id", "=", id).set({
    ...{ status: "running", attempt: 1, generation: 1, started_at: now, heartbeat_at: now },
    ...{ lease_owner: "h/b/1/1/w1", lease_until: now + 60_000 },
  }).execute();
  const cards = async (life: Life) => {
    const identities = { ...ports.identities, life: () => Promise.resolve(life) };
    const inbox = await inboxOf({ ...ports, identities, profile: "host" }, repos, { named: false });
    return inbox.cards.filter(({ job_id }) => job_id === id).map(({ why }) => why);
  };
  assert.deepEqual(await cards("alive"), []);
  assert.deepEqual(await cards("unknown"), []);
  assert.deepEqual(await cards("dead"), ["It is for T-0009, and docs/tickets has no such ticket"]);
});

Deno.test("work whose branch is gone needs a person, as a start of svc says too", async () => {
  await using place = await inboxPlace({ review: true });
  const { ports, held, commit } = place;
  const repos = await listRepos(ports.db);
  const { id } = await queued(ports, repos[0]!.id, "engineer", "T-0001");
  const now = ports.clock.now();
  await ports.db.updateTable("jobs").where("id", "=", id).set({
    ...{ status: "completed", attempt: 1, generation: 1, started_at: now, finished_at: now },
    ...{ disposition: "submitted", head_commit: commit },
  }).execute();
  const lost = async () => {
    const { cards } = await inboxOf({ ...ports, profile: "host" }, repos, { named: false });
    return cards.flatMap(({ why, actions }) => /is gone$/.test(why) ? actions : []);
  };
  assert.deepEqual(await lost(), []);
  await held.git("branch", "-D", BRANCH);
  const [back] = await lost();
  assert.equal(back!.command, `git branch ${BRANCH} ${commit}`);
  await held.git(...back!.command!.split(" ").slice(1));
  assert.deepEqual(await lost(), []);
});

Deno.test("all that needs a person is listed and counted, however much it is", async () => {
  await using place = await inboxPlace();
  const { ports, held } = place;
  const text = await place.text();
  const others = Array.from({ length: CARDS_A_ZONE + 4 }, (_, at) => `T-0${100 + at}`);
  for (const id of others) {
    await held.write(`docs/tickets/blocked/${id}-more.md`, text.replace("id: T-0001", `id: ${id}`));
  }
  const repos = await listRepos(ports.db);
  const { cards } = await inboxOf({ ...ports, profile: "host" }, repos, { named: false });
  const asked = cards.filter(({ zone }) => zone === "needs_you").map(({ ticket_id }) => ticket_id);
  assert.deepEqual(asked.toSorted(), ["T-0001", ...others]);
  const store = { db: ports.db, path: "svc.db" } as Parameters<typeof placeStatus>[1];
  const signal = new AbortController().signal;
  const { needs_you, repos: [repo] } = await placeStatus({ ...ports, signal }, store);
  assert.deepEqual([needs_you, repo!.tickets.blocked], [CARDS_A_ZONE + 5, CARDS_A_ZONE + 5]);
});

Deno.test("the limit of a day needs a person here as on the dashboard, and a job waits for it", async () => {
  await using place = await inboxPlace({ taps: { clock: AT_NOON } });
  const { ports } = place;
  const [repo] = await listRepos(ports.db);
  const settings = () => Promise.resolve(Config.parse({ claim_limits: { day_tokens: "1k" } }));
  const limited = { ...ports, settings, profile: "host" } as const;
  const { id } = await queued(ports, repo!.id, "engineer");
  const day = dayOf(ports.clock.now());
  await sql`INSERT INTO job_uses (job_id, generation, day, repo_id, role, turns, tool_calls,
    tokens_in, tokens_cached, tokens_out, spent_usd, spent_tokens, held_usd, held_tokens)
    VALUES (${id}, 1, ${day}, ${repo!.id}, 'engineer', 1, 0, 2000, 0, 9, 0, 2009, 0, 0)`
    .execute(ports.db);
  const why = async (ports: typeof limited) => {
    const { cards } = await cardsNow(ports, [repo!], { named: false });
    return cards.flatMap((card) => card.job_id === id || card.key.startsWith("hold:") ? card : [])
      .map(({ zone, why }) => `${zone}: ${why}`);
  };
  const says = "until 00:00 UTC: the limit of 1000 tokens a day is reached (2009 tokens spent)";
  assert.deepEqual(await why(limited), [
    `needs_you: Held ${says}`,
    `waiting: Waits for its day: held ${says}`,
  ]);
  const { cards } = await inboxOf(limited, [repo!], { named: true });
  const [act, ...more] = cards.find(({ why }) => why === `Held ${says}`)!.actions;
  assert.match(act!.command!, /^svc costs --by role --days 1 --repo \S+ --db \S+\/svc\.db$/);
  assert.equal(act!.command!.split(" ")[7], repo!.path);
  assert.deepEqual(more, []);

  const unread = () => Promise.reject(new Failure("environment", "Cannot read the config: bad"));
  assert.deepEqual(await why({ ...limited, settings: unread }), [
    "waiting: Waits for claims to go on: Cannot read the config: bad",
  ]);
});

Deno.test("a job is about to be claimed only where a service is there to claim it", async () => {
  await using place = await inboxPlace();
  const { ports } = place;
  const [repo] = await listRepos(ports.db);
  const { id } = await queued(ports, repo!.id, "engineer");
  const why = async () => {
    const asked = { ...ports, profile: "host" } as const;
    const { cards } = await cardsNow(asked, [repo!], { named: false });
    return cards.find(({ job_id }) => job_id === id)?.why;
  };
  assert.equal(await why(), "Waits while svc is stopped");
  const record = {
    ...{ owner: ownerText(await ports.identities.self(), "service"), repo_id: repo!.id },
    ...{ shape: "start", profile: "host", started_at: ports.clock.now() } as const,
    ...{ dashboard_url: null, control_url: null },
  };
  await serviceBegan(ports.db, record, () => Promise.resolve("alive"));
  assert.equal(await why(), "About to be claimed");
});

Deno.test("whoever waits for a look at all repos is told how far it is", async () => {
  await using place = await inboxPlace();
  const said: string[] = [];
  const progress = { update: (text: string) => said.push(text) };
  const signal = new AbortController().signal;
  const ports = { ...place.ports, signal, progress };
  const store = { db: ports.db, path: "svc.db" } as Parameters<typeof placeStatus>[1];
  await placeStatus(ports, store);
  await needsOfRepos(ports, progress.update);
  assert.deepEqual(said, ["reading 1 of 1 repo", "looking at 1 of 1 repo"]);
});
