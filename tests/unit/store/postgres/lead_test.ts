/** Who leads a team, on a real server: one at a time, and soon another when it is gone or silent. */
import assert from "node:assert/strict";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import { leader } from "svc/store/postgres/lead.ts";
import { connectServer, openServer } from "svc/store/postgres/open.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { LEAD_LOCK } from "svc/store/postgres/words.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { verifies } from "tests/kit/verifies.ts";
import { type Cluster, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { tcpProxy } from "tests/kit/tcp_proxy.ts";

/** The looks and signs of life come twenty times as often. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms / 20, signal) };

/** Resolves once so many waits have begun. */
class Waits {
  readonly #over = Promise.withResolvers<void>();
  readonly over = this.#over.promise;
  readonly clock: Clock = {
    ...hasty,
    sleep: (ms, signal) => {
      if (--this.left === 0) this.#over.resolve();
      return hasty.sleep(ms, signal);
    },
  };

  constructor(public left: number) {}
}

/** Tells who leads, and what the leaders noticed. */
class Team {
  readonly leads = new Set<string>();
  most = 0;
  #changed = Promise.withResolvers<void>();

  async led(name: string, signal: AbortSignal): Promise<void> {
    this.leads.add(name);
    this.most = Math.max(this.most, this.leads.size);
    this.#tell();
    if (!signal.aborted) await new Promise((done) => signal.addEventListener("abort", done));
    this.leads.delete(name);
    this.#tell();
  }

  async until(right: () => boolean): Promise<void> {
    while (!right()) await this.#changed.promise;
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function node(team: Team, login: ServerLogin, name: string, silentMs?: number, clock = hasty) {
  const store = connectServer({ clock: systemClock }, login);
  const stop = new AbortController();
  const lead = leader({ login, clock, ...(silentMs !== undefined && { silentMs }) });
  const running = lead(store.db, (signal) => team.led(name, signal), stop.signal);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
      await store[Symbol.asyncDispose]();
    },
  };
}

const cutLeader = (cluster: Cluster, database: string) =>
  cluster.psql(`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks
    WHERE locktype = 'advisory' AND database =
      (SELECT oid FROM pg_database WHERE datname = '${database}')`);

verifies(
  "2.1:shared-database:holds-serve-state",
  "of a team on a PostgreSQL server one process leads",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster();
    const login = await cluster.database();
    await (await openServer({ clock: systemClock }, login))[Symbol.asyncDispose]();

    await t.step("and another when it stops", async () => {
      const team = new Team();
      await using stack = new AsyncDisposableStack();
      const parts = ["a", "b", "c"].map((name) => [name, node(team, login, name)] as const);
      for (const [, part] of parts) stack.use(part);
      for (let rounds = parts.length; rounds > 0; rounds--) {
        await team.until(() => team.leads.size === 1);
        const [leads] = [...team.leads];
        await parts.find(([name]) => name === leads)![1][Symbol.asyncDispose]();
      }
      assert.equal(team.most, 1);
    });

    await t.step("which notices when its connection is cut, and may lead again", async () => {
      const team = new Team();
      await using _only = node(team, login, "a");
      await team.until(() => team.leads.size === 1);
      await cutLeader(cluster, login.database);
      await team.until(() => team.leads.size === 0);
      await team.until(() => team.leads.size === 1);
    });

    await t.step(
      "and another when it gives no sign of life, such as a stopped process",
      async () => {
        const stalled = await connectAlone(login);
        await stalled.query(`SELECT pg_try_advisory_lock(${LEAD_LOCK})`);
        const team = new Team();
        await using _next = node(team, login, "b", 200);
        await team.until(() => team.leads.size === 1);
        await assert.rejects(stalled.query("SELECT 1"));
      },
    );

    await t.step("also where the first who tries hears no answer, and nothing else", async () => {
      await using proxy = tcpProxy(login.port);
      proxy.cut({ of: ["tcp_keepalives_idle = 3"], when: "silent" });
      const team = new Team();
      await using _only = node(team, proxy.login(login), "a");
      await proxy.failed();
      await team.until(() => team.leads.size === 1);
    });

    await t.step("and a leader that lives is not ended, however long it leads", async () => {
      const team = new Team();
      // Its signs of life have the time that they have in earnest: a busy server answers late.
      await using _first = node(team, login, "a", undefined, systemClock);
      await team.until(() => team.leads.size === 1);
      const waits = new Waits(48);
      await using _other = node(team, login, "b", 8_000, waits.clock);
      await waits.over;
      assert.deepEqual([...team.leads], ["a"]);
      assert.equal(team.most, 1);
    });
  },
);
