/** What a service asks after it was down, of a server made from GitHub's published API description. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { newSettlement, recordSettlement, settle } from "svc/features/routing/settlement_store.ts";
import { insertDelivery } from "svc/features/webhooks/delivery_store.ts";
import { settleRequests } from "svc/features/webhooks/settle_requests.ts";
import { mayVouch } from "svc/runtime/service/asked_host.ts";
import { catchUp, type CaughtUp } from "svc/runtime/service/catch_up.ts";
import { type GithubIssue, type GithubServer, githubServer } from "tests/kit/servers/github.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  enginePorts,
  harnessedRepo,
  type Parts,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";

interface Ground extends AsyncDisposable {
  readonly server: GithubServer;
  readonly parts: Parts;
  readonly repo: TempRepo;
  readonly repoId: string;
  readonly logged: string[];
  /** Pauses between requests that change something, ms. */
  readonly slept: number[];
  catchUp(later?: number): Promise<CaughtUp>;
  /** Fulfils what was asked for; each ticket as "T-0001 backlog github:ada/shop#7". */
  settled(): Promise<string[]>;
  ticket(number: number): Promise<string>;
  vouches(login: string, source: "github" | "linear"): Promise<boolean | undefined>;
}

const HOUR = 3_600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

async function ground({ token = "ghe_own_own_0123456789" } = {}): Promise<Ground> {
  const server = await githubServer();
  const [home, repo] = [await tempFolder(), await harnessedRepo()];
  const parts = await enginePorts(home.path);
  const repoId = await registered(parts, repo.path);
  await parts.db.updateTable("repos").set({ remote: server.remote, host: server.host }).execute();
  const { signal } = new AbortController();
  const [logged, slept]: [string[], number[]] = [[], []];
  const memory = { own: new Set(["svc[bot]"]), asked: new Map<string, Set<string>>() };
  const vouchers = ["Ada@example.org"];
  const hosts = [{ host: server.host, api: server.api, key_env: "GHE_TOKEN" }];
  const ports = (later: number) => ({
    ...parts,
    signal,
    log: { ...parts.log, write: (_: string, text: string) => void logged.push(text) },
    clock: {
      ...parts.clock,
      now: () => Date.now() + later,
      // Pauses of a second pass at once; the bound of a request does not.
      sleep(ms: number, ended: AbortSignal) {
        if (ms !== 1_000) return parts.clock.sleep(ms, ended);
        slept.push(ms);
        return Promise.resolve();
      },
    },
    env: { ...parts.env, get: (name: string) => name === "GHE_TOKEN" ? token : undefined },
    settings: () => Promise.resolve(Config.parse({ code_hosts: hosts, linear: { vouchers } })),
  });
  const opened = async () => {
    const [row] = await parts.db.selectFrom("repos").selectAll().execute();
    return await new RepoOpener(ports(0)).open(row!, { signal });
  };
  return {
    ...{ server, parts, repo, repoId, logged, slept },
    async catchUp(later = 0) {
      using open = await opened();
      return await catchUp(ports(later), open, memory);
    },
    async settled() {
      using open = await opened();
      await settleRequests({
        ...ports(0),
        redact: (text) => text,
        mayVouch: (login, source) => mayVouch(ports(0), open, { login, source }),
      }, open);
      return (await ticketsOf(parts, repo.path)).map(({ id, state, fingerprint }) =>
        `${id} ${state} ${fingerprint}`
      );
    },
    async vouches(login, source) {
      using open = await opened();
      return await mayVouch(ports(0), open, { login, source });
    },
    ticket: (number) => ticketed(parts, repo.path, { fingerprint: `github:ada/shop#${number}` }),
    async [Symbol.asyncDispose]() {
      for (const one of [parts, server, repo, home]) await one[Symbol.asyncDispose]();
    },
  };
}

const issue = (number: number, more: Partial<GithubIssue> = {}): GithubIssue => ({
  ...{ number, title: `Issue ${number}`, labels: ["svc"], state: "open", updated_at: ago(1) },
  ...more,
});

const failed = (id: number, guid: string, hours = 1, status_code = 502) => ({
  ...{ id, guid: guid.padEnd(12, "x"), status_code, delivered_at: ago(hours) },
  ...{ event: "issues", action: "labeled" },
});

Deno.test("after a repo was renamed its issues keep their tickets, and their end is noticed", async () => {
  await using at = await ground();
  const { parts, repo, server } = at;
  const known = (number: number, title: string) =>
    ticketed(parts, repo.path, { fingerprint: `github:ada/old-shop#${number}`, title });
  for (const number of [1, 2, 3]) await known(number, `Issue ${number}`);
  // The tickets of another repo, whose numbers are the same, are other tickets.
  await known(4, "Paint the shed");
  server.issues.push(
    issue(1),
    issue(2, { title: " Issue  2" }),
    issue(3, { state: "closed" }),
    issue(4),
  );
  assert.equal((await at.catchUp()).requests, 2);
  assert.deepEqual(await at.settled(), [
    "T-0001 backlog github:ada/old-shop#1",
    "T-0002 backlog github:ada/old-shop#2",
    // Blocked as soon as the owed move is done.
    "T-0003 in-progress github:ada/old-shop#3",
    "T-0004 backlog github:ada/old-shop#4",
    "T-0005 backlog github:ada/shop#4",
  ]);
  assert.deepEqual([server.faults, at.logged], [[], []]);
});

Deno.test("who may write to the repo stands behind their missed issue, and a stranger does not", async () => {
  await using at = await ground();
  const { parts, repo, server } = at;
  server.permissions.set("ada", "admin").set("kim", "write").set("tess", "read");
  for (const [at, by] of ["ada", "kim", "tess", "mallory", "..", "bo/../ada"].entries()) {
    server.issues.push(issue(at + 1, { by }));
  }
  assert.equal((await at.catchUp()).requests, 6);
  await at.settled();
  const tickets = await ticketsOf(parts, repo.path);
  assert.deepEqual(tickets.map(({ vouched }) => vouched), [
    ...["ada at GitHub", "kim at GitHub", undefined, undefined, undefined, undefined],
  ]);
  assert.deepEqual([server.faults, at.logged], [[], []]);
  assert.equal(await at.vouches("ada@Example.org", "linear"), true);
  assert.equal(await at.vouches("ada", "linear"), false);
  assert.equal(server.faults.length, 0);
  // Nobody says who they are.
  server.unusual = ({ id }) =>
    id === "repos/get-collaborator-permission-level"
      ? Response.json({ message: "Must have push access to view collaborator permission." }, {
        status: 403,
      })
      : undefined;
  server.issues.push(issue(7, { by: "ada" }));
  await at.catchUp();
  await at.settled();
  assert.equal((await ticketsOf(parts, repo.path)).at(-1)!.vouched, undefined);
  assert.match(
    at.logged.join(),
    /^who asks for work: Cannot ask whether "ada" may write: the token/,
  );
});

Deno.test("a number that the tickets of another repo have is free for the first issue that gets it", async () => {
  await using at = await ground();
  await ticketed(at.parts, at.repo.path, { fingerprint: "github:ada/old-shop#7", title: "Old" });
  assert.equal((await at.catchUp()).requests, 0);
  at.server.issues.push(issue(7));
  assert.equal((await at.catchUp()).requests, 1);
  assert.deepEqual(await at.settled(), [
    "T-0001 backlog github:ada/old-shop#7",
    "T-0002 backlog github:ada/shop#7",
  ]);
});

verifies(
  "6:code-host:open-issues",
  "an open issue without a ticket gets one, an ended issue ends its ticket, and once is enough",
  async () => {
    await using at = await ground();
    at.server.perPage = 1;
    at.server.issues.push(
      ...[issue(1), issue(2), issue(3, { state: "closed" }), issue(4, { answer: 410 })],
      ...[issue(5, { answer: 301 }), issue(6, { labels: [] }), issue(7)],
    );
    for (const number of [2, 3, 4, 5, 6]) await at.ticket(number);
    assert.equal((await at.catchUp()).requests, 5);
    assert.deepEqual(await at.settled(), [
      "T-0001 backlog github:ada/shop#2",
      // Blocked as soon as the owed move is done.
      ...[3, 4, 5].map((number) => `T-000${number - 1} in-progress github:ada/shop#${number}`),
      // A mention may have made it, so its label says nothing.
      "T-0005 backlog github:ada/shop#6",
      ...["T-0006 backlog github:ada/shop#1", "T-0007 backlog github:ada/shop#7"],
    ]);
    assert.equal((await at.catchUp()).requests, 0);
    assert.deepEqual([at.server.faults, at.logged], [[], []]);
  },
);

Deno.test("each ticket whose issue is not among the open ones has its turn in one of the surveys", async () => {
  await using at = await ground();
  const issuesAsked = () =>
    at.server.asked.splice(0).flatMap(({ path }) => path.match(/issues\/(\d+)$/)?.[1] ?? []);
  for (let number = 1; number <= 60; number++) {
    // What says nothing of its ticket is doubtful again at the next survey.
    at.server.issues.push(issue(number, { labels: [] }));
    await at.ticket(number);
  }
  at.server.issues[54] = issue(55, { state: "closed" });
  // One that GitHub cannot tell of keeps neither the others away, nor what was learnt before it.
  at.server.issues.push(issue(61));
  at.server.unusual = (_, { path }) =>
    path.endsWith("issues/57") ? Response.json({ message: "?" }, { status: 403 }) : undefined;
  assert.equal((await at.catchUp()).requests, 1);
  const first = issuesAsked();
  assert.equal(first.length, 50);
  assert.equal((await at.catchUp()).requests, 1);
  assert.deepEqual(
    [...first, ...issuesAsked()],
    Array.from({ length: 57 }, (_, nth) => `${nth + 1}`),
  );
  await at.catchUp();
  assert.deepEqual(issuesAsked(), ["58", "59", "60"]);
  await at.catchUp();
  assert.deepEqual(issuesAsked(), first);
});

Deno.test("while another branch is checked out, whose tickets may be others, no issue is compared", async () => {
  await using at = await ground();
  at.server.issues.push(issue(1));
  await at.repo.git("switch", "--quiet", "--create", "other");
  assert.equal((await at.catchUp()).requests, 0);
  await at.repo.git("switch", "--quiet", "main");
  assert.equal((await at.catchUp()).requests, 1);
});

Deno.test("while issues are switched off at GitHub none counts as deleted, and their tickets go on", async () => {
  for (
    const message of [
      "Issues has been disabled in this repository.",
      "Issues are disabled for this repo",
    ]
  ) {
    await using at = await ground();
    at.server.unusual = ({ id }) =>
      id === "issues/get" ? Response.json({ message }, { status: 410 }) : undefined;
    await at.ticket(3);
    assert.equal((await at.catchUp()).requests, 0);
    assert.deepEqual(await at.settled(), ["T-0001 backlog github:ada/shop#3"]);
    assert.match(at.logged.join(), /read issue #3: GitHub refuses it \(410\): Issues /);
  }
});

Deno.test("an end that is older than svc's memory is left to the person who unblocked its ticket", async () => {
  await using at = await ground();
  at.server.issues.push(issue(3, { state: "closed", updated_at: ago(8 * 24) }));
  await at.ticket(3);
  assert.equal((await at.catchUp()).requests, 0);
});

Deno.test("an end that has blocked its ticket is not told again once a person has unblocked it", async () => {
  await using at = await ground();
  at.server.issues.push(
    // Somebody has said something there since.
    issue(3, { state: "closed", closed_at: ago(48), updated_at: ago(1) }),
    issue(4, { answer: 410 }),
    issue(5, { state: "closed", closed_at: ago(1), updated_at: ago(1) }),
    issue(6, { answer: 410 }),
  );
  const blocked = async (number: number, reason: string) => {
    const ticket = await at.ticket(number);
    const move = { from: "in-progress", to: "blocked" } as const;
    const unblock = { owner: "maintainer", action: "say so" };
    const owed = { repoId: at.repoId, ticket, move, unblock, reason, actor: "webhook:github" };
    const block = newSettlement(owed, Date.parse(ago(47)));
    await recordSettlement(at.parts.db, block);
    const end = { state: "done", outcome: "moved to blocked", now: block.created_at } as const;
    await settle(at.parts.db, block.id, end);
  };
  await blocked(3, "closed in GitHub as completed");
  await blocked(4, "deleted or transferred in GitHub");
  // What has blocked these is older, or something else.
  await blocked(5, "closed in GitHub as completed");
  await blocked(6, "test failed at aaa1");
  assert.equal((await at.catchUp()).requests, 2);
  assert.deepEqual((await at.settled()).map((line) => line.split(" ")[1]), [
    ...["backlog", "backlog", "in-progress", "in-progress"],
  ]);
});

verifies(
  "6:code-host:missed-deliveries",
  "failed deliveries of svc's own hooks are asked for again, a second apart, up to three days back",
  async () => {
    await using at = await ground();
    at.server.hooks.push(
      { id: 5, url: "https://tunnel.example/webhooks/github" },
      { id: 6, url: "https://chat.example/hook" },
      { id: 7, url: "https://old.example/webhooks/github", active: false },
    );
    const passed = Array.from({ length: 70 }, (_, nth) => failed(1000 - nth, `ok${nth}`, 1, 200));
    at.server.deliveries.push(
      ...[...passed, failed(12, "newest", 2), failed(11, "older", 3), failed(10, "taken", 4)],
      failed(9, "ancient", 80),
    );
    await insertDelivery(at.parts.db, {
      ...{ source: "github", id: "taken".padEnd(12, "x"), event: "issues.labeled" },
      ...{ subject: null, repo_id: null, outcome: "ignored", reason: "x", received_at: Date.now() },
    });
    assert.equal((await at.catchUp()).redeliveries, 2);
    assert.deepEqual(at.server.redelivered, [11, 12]);
    assert.deepEqual(at.slept, [1_000]);
    assert.deepEqual(at.server.faults, []);
    const asked = at.server.asked.map(({ path }) => path);
    assert.ok(!asked.some((path) => /hooks\/[67]\//.test(path)));
  },
);

Deno.test("what a token does not allow is logged with what it needs, and the rest is done", async () => {
  await using at = await ground();
  at.server.issues.push(issue(1));
  at.server.unusual = ({ id }) =>
    id === "repos/list-webhooks"
      ? Response.json({ message: "Resource not accessible by personal access token" }, {
        status: 403,
      })
      : undefined;
  assert.deepEqual(await at.catchUp(), { requests: 1, redeliveries: 0 });
  assert.match(at.logged.join(), /list the webhooks: the token does not open "ada\/shop" \(403\)/);
});

Deno.test("a limit ends it, and nothing is asked before its time; without a login nothing is asked", async () => {
  await using at = await ground();
  at.server.unusual = () => new Response("{}", { status: 429, headers: { "retry-after": "600" } });
  await at.catchUp();
  await at.catchUp();
  assert.equal(at.server.asked.length, 1);
  at.server.unusual = undefined;
  await at.catchUp(601_000);
  assert.equal(at.server.asked.length, 3);
  await using none = await ground({ token: "" });
  assert.deepEqual(await none.catchUp(), { requests: 0, redeliveries: 0 });
  assert.deepEqual(none.server.asked, []);
});
