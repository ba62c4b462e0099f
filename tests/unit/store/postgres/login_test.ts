import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { passwordIn, sectionOf, serverLogin } from "svc/store/postgres/login.ts";
import { hostsOfLogin } from "svc/store/server_login.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const files = denoFiles();

function login(vars: Record<string, string>, address: string) {
  return serverLogin({ env: { get: (name) => vars[name] }, files }, address);
}

const ADDRESS = "postgres://ada@db:6432/svc";

Deno.test("the address counts before the service file, and that before variables", async () => {
  await using folder = await tempFolder();
  const { path: HOME } = folder;
  await Deno.writeTextFile(
    `${HOME}/.pg_service.conf`,
    "# team\n[other]\nhost=wrong\n[team]\nhost = db.team\nuser=grace\ndbname=svc\npassword=said\n",
  );
  const vars = { HOME, PGSERVICE: "team", PGHOST: "variable", PGPORT: "7000", USER: "me" };
  const { host, port, user, database, password, shown } = await login(vars, "postgres://ada@/");
  assert.deepEqual([host, port, user, database, password], ["db.team", 7000, "ada", "svc", "said"]);
  assert.equal(shown, "postgres://ada@db.team:7000/svc");
  await assert.rejects(login({ ...vars, PGSERVICE: "absent" }, "postgres://"), {
    message: /no service "absent"/,
  });
  const plain = await login({ HOME, USER: "me", PGHOST: "h" }, "postgres://");
  assert.equal(plain.shown, "postgres://me@h:5432/me");
  assert.equal(plain.password, undefined);
});

Deno.test("what is shown names the same login again, and never its password", async () => {
  for (
    const address of [
      ADDRESS,
      "postgres://a%40b@[::1]/s%2Fc?sslmode=disable",
      "postgres://u@/d?host=/run/x",
      "postgres://u@a,[::1]:6432/d?target_session_attrs=read-write",
    ]
  ) {
    const first = await login({ PGPASSWORD: "hunter2" }, address);
    assert.equal(first.password, "hunter2");
    assert.doesNotMatch(first.shown, /hunter2/);
    assert.deepEqual(await login({ PGPASSWORD: "hunter2" }, first.shown), first);
  }
});

Deno.test("a password file gives the first line that fits, and only where nobody else may read it", async () => {
  await using folder = await tempFolder();
  const file = `${folder.path}/pass`;
  const lines = [
    "# db:*:*:*:no",
    "other:*:*:*:no",
    "db:6432:svc:bob:no",
    "*:*:svc:ada:a\\:b\\\\c",
    "*:*:*:*:late",
  ];
  await Deno.writeTextFile(file, lines.join("\n"), { mode: 0o600 });
  assert.equal((await login({ PGPASSFILE: file }, ADDRESS)).password, "a:b\\c");
  assert.equal((await login({ PGPASSFILE: file, PGPASSWORD: "said" }, ADDRESS)).password, "said");
  assert.equal(passwordIn("db:1:svc:ada", ["db", "1", "svc", "ada"]), undefined);
  await Deno.chmod(file, 0o640);
  await assert.rejects(login({ PGPASSFILE: file }, ADDRESS), {
    message: /others may read the password file/,
    detail: { remedy: `chmod 600 ${file}` },
  });
});

Deno.test("a password file may be a link, as dotfiles and secrets of Kubernetes are", async () => {
  await using folder = await tempFolder();
  const [file, link] = [`${folder.path}/pass`, `${folder.path}/link`];
  await Deno.writeTextFile(file, "*:*:*:*:linked\n", { mode: 0o600 });
  await Deno.symlink(file, link);
  assert.equal((await login({ PGPASSFILE: link }, ADDRESS)).password, "linked");
  await Deno.chmod(file, 0o640);
  await assert.rejects(login({ PGPASSFILE: link }, ADDRESS), { message: /others may read/ });
  await Deno.remove(file);
  assert.equal((await login({ PGPASSFILE: link }, ADDRESS)).password, undefined);
});

Deno.test("TLS is as sslmode says, and checks nothing without an authority to check by", async () => {
  await using folder = await tempFolder();
  const ca = `${folder.path}/ca.pem`;
  await Deno.writeTextFile(ca, "CA");
  const tls = async (words: string, vars = {}) =>
    (await login({ HOME: folder.path, ...vars }, `${ADDRESS}?${words}`)).tls;
  assert.deepEqual(await tls(""), { mode: "prefer" });
  assert.deepEqual(await tls("", { PGSSLMODE: "require" }), { mode: "require" });
  assert.deepEqual(await tls(`sslmode=require&sslrootcert=${ca}`), { mode: "verify-ca", ca: "CA" });
  assert.deepEqual(await tls(`sslmode=verify-full&sslrootcert=${ca}`), {
    mode: "verify-full",
    ca: "CA",
  });
  assert.deepEqual(await tls("sslmode=verify-full&sslrootcert=system"), { mode: "verify-full" });
  await assert.rejects(tls("sslmode=verify-full"), { message: /no certificate of an authority/ });
  await assert.rejects(tls("sslrootcert=/nowhere.pem"), {
    message: /"\/nowhere.pem" does not exist/,
  });
});

Deno.test("a variable or a service that asks for what svc does not do is refused, by its name", async () => {
  await using folder = await tempFolder();
  const { path: HOME } = folder;
  const remedyOf = async (vars: Record<string, string>, address = ADDRESS) => {
    const failure = await login({ HOME, ...vars }, address).then(() => undefined, Failure.from);
    return failure && `${failure.message} ${failure.remedy}`;
  };
  assert.match(
    await remedyOf({ PGHOSTADDR: "10.0.0.7" }) ?? "",
    /PGHOSTADDR asks .*unset PGHOSTADDR/,
  );
  assert.match(await remedyOf({ PGOPTIONS: "-c role=hunter2" }) ?? "", /unset PGOPTIONS/);
  assert.match(await remedyOf({ PGCHANNELBINDING: "require" }) ?? "", /unset PGCHANNELBINDING/);
  assert.equal(
    await remedyOf({ PGCHANNELBINDING: "prefer", PGOPTIONS: "", PGAPPNAME: "x" }),
    undefined,
  );
  const file = `${HOME}/.pg_service.conf`;
  await Deno.writeTextFile(file, "[team]\nhost=db\nhostaddr=10.0.0.7\nconnect_timeout=9\n");
  const said = await remedyOf({}, "postgres://ada@/svc?service=team") ?? "";
  assert.match(said, /hostaddr of the service file asks .*Take hostaddr out of its section/);
});

Deno.test("a section ends where the next one begins", () => {
  assert.deepEqual(sectionOf("[a]\nx=1\n[b]\nx=2\n", "a"), { x: "1" });
  assert.equal(sectionOf("[a]\nx=1\n", "c"), undefined);
});

verifies(
  "2.1:shared-database:holds-serve-state",
  "several hosts have ports and passwords of their own, or one port for all",
  async () => {
    await using folder = await tempFolder();
    const PGPASSFILE = `${folder.path}/pass`;
    await Deno.writeTextFile(PGPASSFILE, "a:5432:*:*:first\nb:6432:*:*:second\n", { mode: 0o600 });
    const address = "postgres://u@a,b:6432,c/d?target_session_attrs=read-write";
    const many = await login({ PGPASSFILE }, address);
    const { host, port, password, others, writable, shown } = many;
    assert.deepEqual({ host, port, password, writable }, {
      ...{ host: "a", port: 5432, password: "first", writable: true },
    });
    assert.deepEqual(others, [
      { host: "b", port: 6432, password: "second" },
      { host: "c", port: 5432 },
    ]);
    assert.equal(
      shown,
      "postgres://u@a:5432,b:6432,c:5432/d?target_session_attrs=read-write",
    );
    assert.deepEqual(hostsOfLogin(many), ["a:5432", "b:6432", "c:5432"]);
    const vars = { USER: "u", PGHOST: "a,b", PGPORT: "7000", PGTARGETSESSIONATTRS: "primary" };
    const said = await login(vars, "postgres://");
    assert.equal(said.shown, "postgres://u@a:7000,b:7000/u?target_session_attrs=read-write");
    await assert.rejects(login({ ...vars, PGPORT: "1,2,3" }, "postgres://"), {
      message: /there are 2 hosts and 3 ports$/,
    });
    await assert.rejects(login({ ...vars, PGHOST: "a,/run/x" }, "postgres://"), {
      message: /none of a network$/,
    });
  },
);
