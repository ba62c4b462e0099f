/** What `svc doctor` says of a server that is there and is of little use. */
import assert from "node:assert/strict";
import type { Failure } from "svc/core/failure.ts";
import { systemClock } from "svc/platform/clock.ts";
import { examineServer } from "svc/store/postgres/examine.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies(
  "2.1:shared-database:holds-serve-state",
  "a limit of the user or the database, and a database that takes no writes, are told",
  { ignore: POSTGRES === undefined },
  async () => {
    await using cluster = await startCluster();
    await cluster.psql("CREATE ROLE team LOGIN");
    const login = { ...await cluster.database(), user: "team" };
    await cluster.psql(`ALTER DATABASE ${login.database} OWNER TO team`);
    const found = async (what: RegExp) => {
      const findings = await examineServer({ clock: systemClock }, login);
      const { level, text, fix } = findings.find((one) => what.test(one.text)) ??
        { level: "none", text: "", fix: "" };
      return { level, text: text.replace(/^\d+ of/, "n of"), fix };
    };
    const most = "and svc takes up to 8 a process";
    const connections = /connections/;
    assert.deepEqual(await found(connections), {
      ...{ level: "ok", fix: undefined },
      text: "n of 57 connections are free; svc takes up to 8 a process",
    });
    await cluster.psql("ALTER ROLE team CONNECTION LIMIT 5");
    assert.deepEqual(await found(connections), {
      ...{ level: "warning", text: `n of 5 connections of "team" are free, ${most}` },
      fix: 'ALTER ROLE "team" CONNECTION LIMIT -1',
    });
    await cluster.psql(`ALTER DATABASE ${login.database} CONNECTION LIMIT 3`);
    assert.deepEqual(await found(connections), {
      ...{ level: "warning", text: `n of 3 connections of the database are free, ${most}` },
      fix: `ALTER DATABASE "${login.database}" CONNECTION LIMIT -1`,
    });
    const writes = /takes no writes/;
    assert.equal((await found(writes)).level, "none");
    await cluster.psql(`ALTER DATABASE ${login.database} SET default_transaction_read_only = on`);
    const { level, fix } = await found(writes);
    assert.deepEqual([level, fix], [
      ...["warning", `ALTER DATABASE "${login.database}" RESET default_transaction_read_only`],
    ]);
  },
);

verifies(
  "2.1:shared-database:holds-serve-state",
  "who is let in by no line of pg_hba.conf is not sent to look for a password",
  { ignore: POSTGRES === undefined },
  async () => {
    await using cluster = await startCluster({
      access: [
        "host all stranger 127.0.0.1/32 reject",
        "hostssl all tls 127.0.0.1/32 trust",
        "host all tls 127.0.0.1/32 reject",
        "host all locked 127.0.0.1/32 scram-sha-256",
      ],
    });
    for (const user of ["stranger", "tls", "locked"]) {
      await cluster.psql(`CREATE ROLE ${user} LOGIN PASSWORD 'right'`);
      const login = { ...await cluster.database(), user, password: "wrong" };
      await assert.rejects(
        examineServer({ clock: systemClock }, login),
        (thrown: Failure) => {
          assert.match(thrown.message, /: the server refuses the login$/);
          const way = user === "locked" ? /^Check the user, and its password/ : /pg_hba\.conf/;
          assert.match(thrown.remedy, way, user);
          return true;
        },
      );
    }
  },
);
