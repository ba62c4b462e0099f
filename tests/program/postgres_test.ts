/** svc on a PostgreSQL server (Debian's 15): a ticket from backlog to done while svc and the server are killed. */
import assert from "node:assert/strict";
import { addressOf, type Cluster, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { FIX, HOST, type RunSite, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { call, CEO, finish, turns } from "tests/unit/runtime/team.ts";

const ignore = POSTGRES === undefined;
const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
const PASSWORD = "hunter2-of-the-team";

/** A database of its own for a user with a password, as a team has it. */
async function teamDatabase(cluster: Cluster): Promise<string> {
  await cluster.psql(`CREATE ROLE team LOGIN PASSWORD '${PASSWORD}'`);
  await cluster.psql("CREATE DATABASE team OWNER team");
  return addressOf({ ...cluster.login, user: "team", database: "team" });
}

const REPAIR = turns(
  // Without what tells the file apart from any other.
  call("command_run", { argv: ["sh", "-c", 'sed "s/.*://" "$HOME/team.pgpass"'] }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix(add): add, not subtract" }),
  finish("submitted"),
);

const ACCESS = ["host all team 127.0.0.1/32 scram-sha-256"];

/** A password file beside the repo, as libpq takes it. */
async function withPassword(site: RunSite): Promise<Readonly<Record<string, string>>> {
  const PGPASSFILE = `${site.env.HOME}/team.pgpass`;
  await Deno.writeTextFile(PGPASSFILE, `127.0.0.1:*:team:team:${PASSWORD}\n`, { mode: 0o600 });
  return { ...site.env, PGPASSFILE };
}

/** Files below the home that hold the password, but the one that is meant to. */
async function leaks(home: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("grep", {
    args: ["-rlF", "--exclude=team.pgpass", PASSWORD, home],
  }).output();
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

const rowsOf = async (cluster: Cluster, sql: string) =>
  (await cluster.psql(sql, "team")).trim().split("\n");

verifies(
  ["4.5:start:db", "3.2:startup:resumes-active-jobs"],
  "svc start keeps everything on a PostgreSQL server, through kill -9 of svc and a crash of the server",
  { ignore },
  async () => {
    await using cluster = await startCluster({ durable: true, access: ACCESS });
    const edit = call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" });
    const hangs = [...turns(edit), {
      when: { turn: 1 },
      always: true as const,
      bad: "hang" as const,
    }];
    await using site = await runSite({
      scenario: {
        roles: { ceo: CEO, engineer: [hangs, REPAIR], qa: turns(finish("approved")) },
      },
    });
    const db = await teamDatabase(cluster);
    const env = await withPassword(site);
    const start = () =>
      serving({
        cwd: site.repo.path,
        env,
        args: [
          "start",
          "--json",
          "--db",
          db,
          "--model-endpoint",
          site.model.url,
          ...ANYWHERE,
          ...HOST,
        ],
      });
    await site.svc("tickets", "new", "--title", "Mend add", "--role", "engineer");
    await using killed = start();
    const first = await killed.first;
    assert.equal(first.database, db, JSON.stringify(first));
    await killed.said(/engineer T-0001 begins/);
    await site.model.asked(4); // two of the ceo
    const shown = await new Deno.Command("ps", { args: ["-eo", "args"] }).output();
    assert.doesNotMatch(new TextDecoder().decode(shown.stdout), new RegExp(PASSWORD));
    killed.signal("SIGKILL");
    await killed.ended;

    await using again = start();
    await again.said(/engineer T-0001 begins/);
    await cluster.stop("immediate");
    await cluster.start();
    await again.said(/T-0001 moved: review → done/);
    again.signal("SIGTERM");
    const { code, stdout, stderr } = await again.ended;
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(`${stdout}${stderr}`, new RegExp(PASSWORD));
    assert.equal(await site.repo.read("add.sh"), "echo $(($1 + $2))\n");

    const merges = await site.repo.git("log", "--merges", "--oneline", "main");
    assert.equal(merges.split("\n").filter((line) => line !== "").length, 1);
    assert.deepEqual(
      await rowsOf(
        cluster,
        "SELECT role, disposition, count(*) FROM jobs WHERE ticket_id = 'T-0001' GROUP BY 1, 2 ORDER BY 1",
      ),
      ["engineer|submitted|1", "qa|approved|1"],
    );
    assert.deepEqual(
      await rowsOf(cluster, "SELECT count(*) FROM jobs WHERE status IN ('pending', 'running')"),
      ["0"],
    );
    const files = [];
    for await (const { name } of Deno.readDir(`${site.home}/db`)) files.push(name);
    assert.deepEqual(files.filter((name) => !name.startsWith("start-")), []);
    assert.deepEqual(await leaks(site.env.HOME!), []);
  },
);

verifies(
  ["1:run:selected-database", "4.5:register:db", "4.5:serve:db"],
  "svc run, the commands that read, and svc serve share the database of a server",
  { ignore },
  async () => {
    await using cluster = await startCluster({ access: ACCESS });
    await using site = await runSite({
      scenario: { roles: { ceo: CEO, engineer: FIX, qa: turns(finish("approved")) } },
    });
    const db = await teamDatabase(cluster);
    const { PGPASSFILE } = await withPassword(site);
    const svc = (...words: string[]) => site.svc(...words);
    const refused = await svc("jobs", "list", "--db", db);
    assert.equal(refused.code, 5, refused.stderr);
    assert.match(
      refused.stderr,
      /the server refuses the login\ntry: Check the user, and its password in/,
    );

    // By the usual file this time.
    await Deno.copyFile(PGPASSFILE!, `${site.env.HOME}/.pgpass`);
    await Deno.chmod(`${site.env.HOME}/.pgpass`, 0o600);
    const preview = await site.run(
      "engineer",
      "--task",
      "Mend add",
      "--db",
      db,
      "--dry-run",
      ...HOST,
    );
    assert.equal(preview.code, 0, preview.stderr);
    assert.equal(
      await cluster.psql("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", "team"),
      "0\n",
    );
    const ran = await site.run("engineer", "--task", "Mend add", "--db", db, "--json", ...HOST);
    assert.equal(ran.code, 0, ran.stderr);
    const { job } = ran.json();
    const listed = await svc("jobs", "list", "--db", db, "--json");
    assert.deepEqual(
      listed.json().jobs.map((
        { id, disposition }: { id: string; disposition: string },
      ) => [id, disposition]),
      [[job, "submitted"]],
    );
    const told = await svc("explain", job, "--db", db);
    assert.equal(told.code, 0, told.stderr);
    for (
      const words of [
        ["trust"],
        ["scores"],
        ["costs"],
        ["inbox"],
        ["inbox", "recheck", "--yes"],
        ["status"],
        ["cleanup"],
        ["telemetry", "status"],
        ["trust", "explain", "engineer", "file_write"],
        ["code-intel", "metrics"],
        ["prune"],
      ]
    ) {
      const { code, stderr } = await svc(...words, "--db", db);
      assert.equal(code, 0, `${words.join(" ")}: ${stderr}`);
    }

    const looked = await svc("doctor", "--skip-remote", "--db", db);
    assert.match(looked.stdout, /✓ database: postgres:\/\/team@\S+: PostgreSQL \d+\.\d+\n/);
    assert.match(looked.stdout, /✓ database: "team" may make tables there\n/);

    const registered = await svc("register", "--db", db, "--json");
    assert.equal(registered.json().database, db);
    await using serves = serving({
      cwd: "/",
      env: site.env,
      args: [
        "serve",
        "--json",
        "--db",
        db,
        "--model-endpoint",
        site.model.url,
        ...ANYWHERE,
        ...HOST,
      ],
    });
    assert.equal((await serves.first).database, db);
    const { nodes } = (await svc("nodes", "--db", db, "--json")).json();
    assert.deepEqual(
      nodes.map(({ condition, running }: Record<string, unknown>) => [condition, running]),
      [["working", 0]],
    );
    const [{ id, name }] = nodes;
    const kept = JSON.parse(await Deno.readTextFile(`${site.home}/node.json`));
    assert.deepEqual(kept, { version: 1, id, name });
    const second = await svc("serve", "--db", db, ...ANYWHERE);
    assert.equal(second.code, 6, second.stderr);
    assert.match(
      second.stderr,
      /this home is node "\S+" of that database already, as process \d+\ntry: /,
    );
    const team = await svc("doctor", "--skip-remote", "--db", db);
    assert.match(team.stdout, /✓ database: 1 node of 1 there\n/);
    const { places: [{ nodes: [there] }] } = (await svc("status", "--db", db, "--json")).json();
    assert.equal(there.name, name);
    const early = await svc("db", "copy", "--from", db, "--to", `${site.env.HOME}/early.db`);
    assert.equal(early.code, 6, early.stderr);
    assert.match(
      early.stderr,
      /: node \S+ works on it\ntry: .*svc nodes stop --all --db postgres:/,
    );
    assert.equal((await svc("nodes", "stop", name, "--yes", "--db", db)).code, 0);
    // As it was asked, within a beat.
    const { code, stderr } = await serves.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /node \S+ stops: stopped by /);

    // The home is a node by now, so that the job tells its name.
    const named = await svc("jobs", "list", "--db", db, "--json");
    assert.equal(named.json().jobs[0].node, name);
    const file = `${site.env.HOME}/moved.db`;
    const copied = await svc("db", "copy", "--from", db, "--to", file, "--json");
    assert.equal(copied.code, 0, copied.stderr);
    const again = await svc("jobs", "list", "--db", file, "--json");
    assert.deepEqual(again.json().jobs, named.json().jobs);
  },
);
