/** What a node that has nothing to do asks of the server. Part of bench/fleet.ts. */
import { addressOf, type Cluster } from "tests/kit/postgres.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";

/** Before the count begins, and its length. */
const SETTLE_MS = 20_000;
const COUNT_MS = 60_000;

const CALLS = `SELECT calls || ' ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 90)
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND query NOT LIKE '%pg_stat_statements%' ORDER BY calls DESC`;

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export async function idleNode(
  cluster: Cluster,
  show: (what: string, ...figures: string[]) => void,
): Promise<void> {
  await using site = await runSite({ scenario: { roles: {} } });
  const login = await cluster.database();
  const db = addressOf(login);
  const registered = await site.svc("register", "--db", db);
  if (registered.code !== 0) throw new Error(registered.stderr);
  await cluster.psql("CREATE EXTENSION pg_stat_statements", login.database);
  const own = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
  await using serves = serving({
    cwd: site.repo.path,
    env: site.env,
    args: ["serve", "--json", "--db", db, "--model-endpoint", site.model.url, ...own, ...HOST],
  });
  await serves.first;
  await after(SETTLE_MS);
  await cluster.psql("SELECT pg_stat_statements_reset()", login.database);
  await after(COUNT_MS);
  const lines = (await cluster.psql(CALLS, login.database)).trim().split("\n");
  const connections = await cluster.psql(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'svc'",
    login.database,
  );
  const all = lines.reduce((sum, line) => sum + Number(line.split(" ", 1)[0]), 0);
  show("an idle node, queries a minute", String(all), `connections ${connections.trim()}`);
  for (const line of lines.slice(0, 10)) show(`  ${line}`);
  serves.signal("SIGTERM");
  await serves.ended;
}
