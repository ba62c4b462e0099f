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

Deno.test("what hosts add to an address is taken where svc does it anyway", () => {
  const said = {
    ...{ user: "ada", host: "ep-1.neon.tech", dbname: "svc", sslmode: "require" },
  };
  for (
    const words of [
      "channel_binding=prefer&application_name=svc%20of%20ada&connect_timeout=10",
      "keepalives=1&keepalives_idle=30&keepalives_interval=10&keepalives_count=3&tcp_user_timeout=9",
      "gssencmode=disable&client_encoding=utf8&options=&sslsni=1&load_balance_hosts=disable",
    ]
  ) {
    assert.deepEqual(
      serverAddress(`postgres://ada@ep-1.neon.tech/svc?sslmode=require&${words}`),
      said,
    );
  }
});

Deno.test("what svc does not do is refused by its name, with the way out and without its value", () => {
  const refused = {
    "channel_binding=require": /Leave channel_binding out: .*sslmode=verify-full/,
    "options=endpoint%3Dhunter2": /Leave options out: .*sends with TLS/,
    "options=-c%20search_path%3Dhunter2": /Leave options out: .*ALTER ROLE/,
    "hostaddr=hunter2": /Leave hostaddr out: name the address as the host/,
    "gssencmode=require": /Leave gssencmode out: /,
    "sslpassword=hunter2": /Leave sslpassword out: /,
    "passfile=hunter2": /Leave passfile out: PGPASSFILE/,
    "connect_timeout=hunter2": /Leave connect_timeout out: else write whole seconds/,
    "pgbouncer=true": /Leave pgbouncer out: .*session/,
    "ssl=true": /Leave ssl out: write sslmode=require/,
    "constructor=hunter2": /^Leave it out, and give only host,/,
  };
  for (const [words, remedy] of Object.entries(refused)) {
    const address = `postgres://ada@db/svc?sslmode=require&${words}`;
    assert.throws(
      () => serverAddress(address),
      (thrown: Error & { detail: { remedy: string } }) => {
        const name = words.slice(0, words.indexOf("="));
        assert.match(thrown.message, name === "constructor" ? /number 2 after/ : new RegExp(name));
        assert.match(thrown.detail.remedy, remedy);
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
