/** TLS as `sslmode` says, against a real server with certificates that openssl made. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { connectServer } from "svc/store/postgres/open.ts";
import { sql } from "svc/store/query.ts";
import type { ServerTls } from "svc/store/server_login.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

async function openssl(cwd: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command("openssl", { args, cwd }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** An authority, and a certificate of it for the name. */
async function certificates(folder: string, name: string): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  await openssl(
    folder,
    "req",
    "-x509",
    ...key,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=team",
    "-days",
    "2",
  );
  await openssl(
    folder,
    "req",
    ...key,
    "-keyout",
    "server.key",
    "-out",
    "server.csr",
    "-subj",
    `/CN=${name}`,
  );
  await Deno.writeTextFile(`${folder}/ext`, `subjectAltName=DNS:${name}\n`);
  await openssl(
    folder,
    ...[
      "x509",
      "-req",
      "-in",
      "server.csr",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
    ],
    ...["-out", "server.pem", "-days", "2", "-extfile", "ext"],
  );
}

Deno.test({
  name: "sslmode decides whether TLS is used, and what of the certificate counts",
  ignore: POSTGRES === undefined,
  async fn() {
    await using folder = await tempFolder();
    const { path } = folder;
    await certificates(path, "localhost");
    const { path: other } = folder;
    await Deno.mkdir(`${other}/other`);
    await certificates(`${other}/other`, "localhost");
    await using cluster = await startCluster({
      access: ["hostnossl all plain 127.0.0.1/32 trust", "hostssl all svc 127.0.0.1/32 trust"],
    });
    for (const name of ["server.pem", "server.key"]) {
      await Deno.copyFile(`${path}/${name}`, `${cluster.folder}/data/${name}`);
      await new Deno.Command("chown", {
        args: ["--reference", `${cluster.folder}/data`, `${cluster.folder}/data/${name}`],
      }).output();
      await Deno.chmod(`${cluster.folder}/data/${name}`, 0o600);
    }
    const ca = await Deno.readTextFile(`${path}/ca.pem`);
    const strange = await Deno.readTextFile(`${other}/other/ca.pem`);
    const said = async (host: string, tls: ServerTls) => {
      await using store = connectServer({ clock: systemClock }, { ...cluster.login, host, tls });
      try {
        const { rows: [row] } = await sql<{ ssl: number }>`SELECT ssl FROM pg_stat_ssl
          WHERE pid = pg_backend_pid()`.execute(store.db);
        return row!.ssl === 1 ? "tls" : "plain";
      } catch (thrown) {
        return (thrown as Error).message.replace(/^.*": /, "");
      }
    };
    const LOCAL = "127.0.0.1";
    assert.equal(await said(LOCAL, { mode: "prefer" }), "plain");
    const unfit = "its TLS is not what sslmode asks for";
    assert.equal(await said(LOCAL, { mode: "require" }), unfit);
    await cluster.psql("ALTER SYSTEM SET ssl_cert_file = 'server.pem'");
    await cluster.psql("ALTER SYSTEM SET ssl_key_file = 'server.key'");
    await cluster.psql("ALTER SYSTEM SET ssl = on");
    await cluster.stop();
    await cluster.start();
    assert.equal(await said(LOCAL, { mode: "disable" }), "plain");
    assert.equal(await said(LOCAL, { mode: "prefer" }), "tls");
    assert.equal(await said(LOCAL, { mode: "require" }), "tls");
    assert.equal(await said(LOCAL, { mode: "verify-ca", ca }), "tls");
    assert.equal(await said(LOCAL, { mode: "verify-ca", ca: strange }), unfit);
    assert.equal(await said("localhost", { mode: "verify-full", ca }), "tls");
    assert.equal(await said(LOCAL, { mode: "verify-full", ca }), unfit);
    assert.equal(await said("localhost", { mode: "verify-full", ca: strange }), unfit);
    assert.equal(await said("localhost", { mode: "verify-full" }), unfit);
  },
});

Deno.test("another program's port is told from a server without TLS", async () => {
  // One says something first, as ssh does; the other answers what it does not understand, as web servers do.
  for (const first of [true, false]) {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    const serving = (async () => {
      for await (const client of listener) {
        if (!first) await client.read(new Uint8Array(100));
        await client.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
        client.close();
      }
    })();
    const login = { host: "127.0.0.1", port, user: "team", database: "svc", shown: "there" };
    const store = connectServer({ clock: systemClock }, { ...login, tls: { mode: "prefer" } });
    await assert.rejects(sql`SELECT 1`.execute(store.db), {
      message: 'Cannot use the database "there": what answers there is not a PostgreSQL server',
    });
    await store[Symbol.asyncDispose]();
    listener.close();
    await serving;
  }
});
