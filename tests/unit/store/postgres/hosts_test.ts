/** Addresses with several hosts: svc takes the one that psql (Debian's, over libpq) takes, or none as it does. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { serverLogin } from "svc/store/postgres/login.ts";
import { connectServer } from "svc/store/postgres/open.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { sql } from "svc/store/query.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";

type Vars = Readonly<Record<string, string>>;

const REFUSED = "refused";

async function byPsql(address: string, vars: Vars): Promise<string> {
  const { success, stdout } = await new Deno.Command(`${POSTGRES}/psql`, {
    args: ["-XAtqw", "-c", "SHOW port", address],
    ...{ clearEnv: true, env: { HOME: "/dev/null", ...vars }, stderr: "null" },
  }).output();
  return success ? new TextDecoder().decode(stdout).trim() : REFUSED;
}

async function byPool(login: ServerLogin): Promise<string> {
  await using store = connectServer({ clock: systemClock }, login);
  const asked = sql<{ port: string }>`SHOW port`.execute(store.db);
  return await asked.then(({ rows: [row] }) => row!.port, () => REFUSED);
}

async function byListener(login: ServerLogin): Promise<string> {
  const connection = await connectAlone(login).catch(() => undefined);
  if (connection === undefined) return REFUSED;
  const { rows } = await connection.query("SHOW port");
  await connection.end();
  return (rows as [{ port: string }])[0].port;
}

verifies(
  "2.1:shared-database:holds-serve-state",
  "of several hosts svc goes on to the next one where libpq does: one that cannot be reached, not one that refuses",
  { ignore: POSTGRES === undefined },
  async () => {
    await using first = await startCluster({
      access: [
        "host all locked 127.0.0.1/32 scram-sha-256",
        "host all stranger 127.0.0.1/32 reject",
      ],
    });
    await using second = await startCluster();
    for (const each of [first, second]) {
      await each.psql("CREATE ROLE stranger LOGIN");
      await each.psql("CREATE ROLE locked LOGIN PASSWORD 'right'");
    }
    await second.psql("CREATE DATABASE elsewhere");
    const [here, there] = [first, second].map(({ port }) => `127.0.0.1:${port}`);
    const hosts = `${here},${there}`;
    const [one, other] = [`${first.port}`, `${second.port}`];
    const CASES: readonly (readonly [string, string, Vars, string])[] = [
      ["the first takes it", `svc@${hosts}/postgres`, {}, one],
      ["a password", `locked@${hosts}/postgres`, { PGPASSWORD: "right" }, one],
      ["a wrong password", `locked@${hosts}/postgres`, { PGPASSWORD: "wrong" }, REFUSED],
      ["no password", `locked@${hosts}/postgres`, {}, REFUSED],
      ["a user whom pg_hba.conf refuses", `stranger@${hosts}/postgres`, {}, REFUSED],
      ["a database that the first lacks", `svc@${hosts}/elsewhere`, {}, REFUSED],
      ["TLS that the first lacks", `svc@${hosts}/postgres?sslmode=require`, {}, REFUSED],
      ["nobody listens", `svc@127.0.0.1:1,${there}/postgres`, {}, other],
      ["a name without an address", `svc@absent.invalid:1,${there}/postgres`, {}, other],
    ];
    for (const [what, rest, vars, expected] of CASES) {
      const address = `postgres://${rest}`;
      const ports = { env: { get: (name: string) => vars[name] }, files: denoFiles() };
      const login = await serverLogin(ports, address);
      assert.deepEqual(
        {
          ...{ psql: await byPsql(address, vars), pool: await byPool(login) },
          listener: await byListener(login),
        },
        { psql: expected, pool: expected, listener: expected },
        what,
      );
    }
  },
);
