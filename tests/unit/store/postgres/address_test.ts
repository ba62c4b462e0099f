import assert from "node:assert/strict";
import { isServerAddress, serverAddress } from "svc/core/server_address.ts";
import { hostOfLogin } from "svc/store/server_login.ts";

Deno.test("an address names user, host, port and database, and how TLS is used", () => {
  assert.deepEqual(serverAddress("postgres://ada@db.example.org:6432/svc?sslmode=verify-full"), {
    user: "ada",
    host: "db.example.org",
    port: "6432",
    dbname: "svc",
    sslmode: "verify-full",
  });
  assert.deepEqual(serverAddress("postgresql://[::1]/a%20b"), { host: "::1", dbname: "a b" });
  assert.deepEqual(serverAddress("postgres:///svc?host=/run/postgresql&user=ada"), {
    dbname: "svc",
    host: "/run/postgresql",
    user: "ada",
  });
  assert.deepEqual(serverAddress("postgres://?service=team"), { service: "team" });
  assert.deepEqual(serverAddress("postgres://a,[::1]:6432/d?target_session_attrs=read-write"), {
    ...{ host: "a,::1", port: ",6432", dbname: "d", target_session_attrs: "read-write" },
  });
});

Deno.test("an address with a password, with an empty host or with what svc does not know is refused, unrepeated", () => {
  const refused = [
    ["postgres://ada:hunter2@db/svc", /holds a password/],
    ["postgres://db/svc?password=hunter2", /holds a password/],
    ["postgres://one,,two-hunter2/svc", /no host and port/],
    ["postgres://db:99999999/hunter2", /no host and port/],
    ["postgres://db/svc?target_session_attrs=hunter2", /target_session_attrs is none of/],
    ["postgres://db/svc?hunter2=1", /knows no parameter/],
    ["postgres://db/svc?sslmode=hunter2", /sslmode is none of/],
    ["postgres://db/hunter2%zz", /not encoded/],
    ["postgres://db/hunter2%00", /not encoded/],
    ["postgres://db/svc#hunter2", /no URL/],
  ] as const;
  for (const [address, why] of refused) {
    assert.throws(
      () => serverAddress(address),
      (thrown: Error & { detail: { remedy: string } }) => {
        assert.match(thrown.message, why);
        assert.doesNotMatch(`${thrown.message}${thrown.detail.remedy}`, /hunter2/);
        return true;
      },
      address,
    );
  }
});

Deno.test("only an address is one, and its host is named as a permission names it", () => {
  assert.ok(isServerAddress("postgres://db/svc") && isServerAddress("POSTGRESQL://db"));
  for (const path of ["/data/svc.db", "postgres.db", "postgres:/x", "https://db/svc"]) {
    assert.equal(isServerAddress(path), false, path);
  }
  assert.equal(hostOfLogin({ host: "::1", port: 5432 }), "[::1]:5432");
  assert.equal(hostOfLogin({ host: "db", port: 5432 }), "db:5432");
  assert.equal(hostOfLogin({ host: "/run/pg", port: 5432 }), "unix:/run/pg/.s.PGSQL.5432");
});
