/** Commands about one repo of a team: svc's clone, a checkout that a person made, and a folder that is neither. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { svc } from "tests/kit/entrance.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { addressOf, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies(
  ["4.5:register:db", "2.1:shared-database:holds-serve-state"],
  "commands about a shared repo mean it in svc's clone and in a checkout of one's own",
  { ignore: POSTGRES === undefined },
  async () => {
    await using cluster = await startCluster();
    const login = await cluster.database();
    const db = addressOf(login);
    await using base = await tempFolder();
    const at = await Deno.realPath(base.path);
    await using person = await tempRepo({ files: { "a.txt": "a\n" }, commit: true });
    await Deno.mkdir(`${at}/real`);
    await Deno.symlink(`${at}/real`, `${at}/user`);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: `${at}/user`, USER: "ada" };
    const run = (...args: string[]) => svc(args, { env, cwd: at });
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args, "--db", db, "--json");
      assert.equal(code, 0, stdout + stderr);
      return JSON.parse(stdout);
    };
    assert.equal((await run("init", "--yes", "--repo", person.path)).code, 0);
    await person.commit("harness");
    const bare = `${at}/acme.git`;
    await plainGit(at, ["clone", "--quiet", "--bare", person.path, bare]);
    const { repo } = await said("register", "--url", `file://${bare}`);
    const unknown = await run("trust", "set", "engineer", repo.id, "observer", "--db", db);
    assert.match(unknown.stderr, /this machine has no clone\ntry: .*: git clone file:\/\//);
    await plainGit(at, ["clone", "--quiet", `file://${bare}`, repo.path]);
    await plainGit(at, ["clone", "--quiet", bare, "own"]);
    await using store = await openServer({ clock: systemClock }, login);
    const job = await endedJob(store.db, {
      ...{ repoId: repo.id, role: "engineer", disposition: "submitted", at: Date.now() - 1000 },
    });
    // The home is named by way of a link; git tells the folder itself.
    for (const place of [repo.path, await Deno.realPath(repo.path), `${at}/own`]) {
      const { jobs } = await said("jobs", "list", "--repo", place);
      assert.deepEqual(jobs.map(({ id }: { id: string }) => id), [job], place);
    }
    const levels = async (place: string) => {
      const { roles } = await said("trust", "--repo", place);
      return roles.find(({ role }: { role: string }) => role === "engineer").level;
    };
    for (const place of [repo.path, await Deno.realPath(repo.path)]) {
      const { dry_run, kept } = await said("cleanup", "--repo", place);
      assert.deepEqual([dry_run, kept], [true, []], place);
    }
    for (const [place, level] of [[repo.id, "observer"], [`${at}/own`, "contributor"]]) {
      await said("trust", "set", "engineer", place!, level!, "--reason", "a test");
      assert.equal(await levels(repo.path), level);
      const kept = await store.db.selectFrom("trust").select("repo_id").execute();
      assert.deepEqual(kept, [{ repo_id: repo.id }], "what counts is that of the registered repo");
    }
    await run(
      ...["checks", "run", "--repo", `${at}/own`, "--db", db, "--role", "qa", "--name", "a"],
      ...["--", "true"],
    );
    const checks = await store.db.selectFrom("checks").select(["repo_id", "outcome"]).execute();
    assert.deepEqual(checks, [{ repo_id: repo.id, outcome: "passed" }]);
    // Work in a checkout of one's own would be a second repo's, beside the team's.
    const known = await store.db.selectFrom("repos").select("id").execute();
    await plainGit(`${at}/own`, ["checkout", "--quiet", "-b", "bare", "HEAD~1"]);
    for (const branch of ["main", "bare"]) {
      await plainGit(`${at}/own`, ["checkout", "--quiet", branch]);
      for (
        const words of [
          ["run", "engineer", "--task", "x"],
          ["run", "engineer", "--task", "x", "--no-init"],
          ["start", "--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
          ["cleanup"],
        ]
      ) {
        const host = words[0] === "cleanup"
          ? []
          : ["--execution-profile", "host", "--acknowledge-host-execution"];
        const { stderr } = await run(...words, ...host, "--repo", `${at}/own`, "--db", db);
        assert.match(stderr, /it is a checkout of the shared repo "file:\/\/.*acme\.git"/);
        assert.match(
          stderr,
          new RegExp(`try: .*--repo ${repo.path} .*svc register --repo ${at}/own `),
        );
      }
    }
    assert.deepEqual(await store.db.selectFrom("repos").select("id").execute(), known);
    // A repo that nobody registered there is no other one.
    const { jobs } = await said("jobs", "list", "--repo", person.path);
    assert.deepEqual(jobs, []);
    const lost = await run("costs", "--db", db);
    assert.match(lost.stderr, /it is not in a git repo\ntry: Name one by a checkout of it: --repo/);
    assert.match((await run("inbox", "--db", db)).stderr, /try: Add --all for all repos/);
    assert.match((await run("jobs", "list", "--db", `${at}/a.db`)).stderr, /try: Add --all/);
  },
);
