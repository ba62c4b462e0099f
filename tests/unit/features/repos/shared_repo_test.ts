/** Repos that nodes share, on a database of a server: who pushes, who waits, and what is undone. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { listRepos, repoWithId } from "svc/features/repos/repo_store.ts";
import { register } from "svc/features/repos/register.ts";
import { registerUrl } from "svc/features/repos/register_url.ts";
import { takeRepoLease } from "svc/features/repos/lease_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import { openServer } from "svc/store/postgres/open.ts";
import type { Db } from "svc/store/schema.ts";
import { type Cluster, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { plainGit, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { mainPorts } from "tests/unit/platform/confined_ports.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";

const signal = new AbortController().signal;
let cluster: Cluster;

interface Team extends AsyncDisposable {
  readonly bare: string;
  readonly person: TempRepo;
  readonly db: Db;
  /** Commits a file on the registered branch as svc does. @param change of what reaches the remote */
  node(name: string, change?: (own: Remotes) => Partial<Remotes>): Promise<TeamNode>;
  /** Subjects on the remote's branch, newest first. */
  subjects(branch?: string): Promise<string[]>;
}

interface TeamNode {
  readonly root: string;
  readonly remotes: Remotes;
  commit(file: string): Promise<void>;
  git(...args: string[]): Promise<string>;
}

const bytes = (text: string) => new TextEncoder().encode(text);

async function team(): Promise<Team> {
  await using parts = new AsyncDisposableStack();
  const folder = parts.use(await tempFolder());
  const bare = `${folder.path}/app.git`;
  const person = parts.use(await tempRepo({ files: { "a.txt": "a\n" }, commit: true }));
  await plainGit(folder.path, ["clone", "--quiet", "--bare", person.path, bare]);
  await person.git("remote", "add", "origin", bare);
  const store = parts.use(
    await openServer(
      { clock: systemClock, clones: `${folder.path}/repos` },
      await cluster.database(),
    ),
  );
  const { repo } = await registerUrl(
    { db: store.db, remotes: remotePorts(folder.path) },
    `file://${bare}`,
    {},
    1,
  );
  const held = parts.move();
  return {
    ...{ bare, person, db: store.db },
    async node(name, change = () => ({})) {
      const own = remotePorts(`${folder.path}/${name}`);
      const remotes = { ...own, ...change(own) };
      const ports = mainPorts({ repos: [], home: `${folder.path}/${name}/worktrees` });
      const opener = new RepoOpener({ ...ports, db: store.db, remotes });
      const row = (await repoWithId(store.db, repo.id))!;
      const opened = await opener.open(row, { signal });
      // The row names the clone of the machine whose store it is.
      assert.equal(row.path, `${folder.path}/repos/${repo.id}/app`);
      held.use(opened);
      const { git, folder: files, commits, root } = opened;
      return {
        ...{ root, remotes },
        async commit(file) {
          const changes = [{ path: file, bytes: bytes(`${name}\n`), before: null }];
          const plan = { doing: `add ${file}`, changes, message: `chore: add ${file}` };
          await opened.locked(`add ${file}`, () => commits.commit(git, files, plan));
        },
        git: async (...args) => (await plainGit(root, args)).stdout.trim(),
      };
    },
    async subjects(branch = "main") {
      const { stdout } = await plainGit(bare, ["log", "--format=%s", branch]);
      return stdout.trim().split("\n");
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function aside(team: Team, file: string): Promise<void> {
  await team.person.git("pull", "--quiet", "--rebase", "origin", "main");
  await team.person.commit(`person: ${file}`, { [file]: "person\n" });
  await team.person.git("push", "--quiet", "origin", "main");
}

const status = async (node: TeamNode) => [
  await node.git("log", "--format=%s", "main"),
  await node.git("status", "--porcelain"),
];

verifies(
  ["4.5:register:db", "2.1:shared-database:holds-serve-state"],
  "a repo that nodes share",
  { ignore: POSTGRES === undefined },
  async (t) => {
    cluster = await startCluster();
    await using _cluster = cluster;

    await t.step(
      "a path is registered as a folder or as a URL, and the other is refused",
      async () => {
        await using there = await team();
        const path = await Deno.realPath(there.person.path);
        const { git, files } = mainPorts({ repos: [], home: path });
        const opened = await git.open(path, { signal });
        const ports = { db: there.db, remotes: remotePorts(path) };
        const byFolder = () => register({ db: there.db, files }, opened, {}, 1);
        assert.equal((await byFolder()).change, "registered");
        await assert.rejects(registerUrl(ports, path, {}, 2), {
          code: "conflict",
          message: `Cannot register the URL "${path}": it is registered as a folder`,
          remedy: `Give it as a URL that is no path: svc register --url file://${path}`,
        });
        await there.db.deleteFrom("repos").where("path", "=", path).execute();
        assert.equal((await registerUrl(ports, path, {}, 3)).change, "registered");
        await assert.rejects(byFolder(), {
          code: "conflict",
          message: `Cannot register "${path}": it is registered by its URL`,
        });
      },
    );

    await t.step("a path with file:// before it, and without, is one repo", async () => {
      await using there = await team();
      const remotes = remotePorts(there.bare);
      for (const typed of [there.bare, `file://localhost${there.bare}/`]) {
        const { change, repo } = await registerUrl({ db: there.db, remotes }, typed, {}, 2);
        assert.deepEqual([change, repo.url], ["unchanged", `file://${there.bare}`], typed);
      }
      assert.equal((await listRepos(there.db)).length, 1);
    });

    await t.step("one place at a host is one repo, and the URL that came first stays", async () => {
      await using there = await team();
      const remotes = { branchOf: () => Promise.resolve("main") };
      const first = "https://gitlab.com/acme/sub/app";
      const told = (url: string) => registerUrl({ db: there.db, remotes }, url, {}, 2);
      assert.equal((await told(first)).change, "registered");
      for (
        const other of [
          `${first}.git`,
          "git@gitlab.com:acme/sub/app",
          "ssh://git@gitlab.com:22/Acme/sub/app.git",
          "git@altssh.gitlab.com:acme/sub/app.git",
        ]
      ) {
        await assert.rejects(told(other), {
          code: "conflict",
          message: `Cannot register "${other}": that repo is registered as "${first}"`,
          remedy: /^Leave it so: .*svc register --url https:\/\/gitlab\.com\/acme\/sub\/app --db/,
        });
      }
      assert.equal((await told(`${first}/`)).change, "unchanged");
      assert.equal((await told("git@gitlab.com:acme/app.git")).change, "registered");
      assert.equal((await told("git@work:acme/sub/app.git")).change, "registered", "ssh's alias");
    });

    await t.step(
      "what one node commits is pushed, and the next node commits on top of it",
      async () => {
        await using there = await team();
        const [ada, bo] = [await there.node("ada"), await there.node("bo")];
        await ada.commit("ada.txt");
        await bo.commit("bo.txt");
        assert.deepEqual((await there.subjects()).slice(0, 2), [
          "chore: add bo.txt",
          "chore: add ada.txt",
        ]);
        assert.equal(await bo.git("show", "HEAD:ada.txt"), "ada");
        assert.equal((await status(bo))[1], "");
      },
    );

    await t.step(
      "a person who pushes between fetch and push wins, and svc's commit comes on top",
      async () => {
        await using there = await team();
        let pushes = 0;
        const ada = await there.node("ada", ({ land }) => ({
          async land(...args) {
            if (pushes++ === 0) await aside(there, "person.txt");
            return await land(...args);
          },
        }));
        await ada.commit("ada.txt");
        assert.equal(pushes, 2);
        assert.deepEqual((await there.subjects()).slice(0, 2), [
          "chore: add ada.txt",
          "person: person.txt",
        ]);
      },
    );

    await t.step(
      "a node that lost the lease does not push, and takes its commit back",
      async () => {
        await using there = await team();
        const ada = await there.node("ada", ({ fetch }) => ({
          async fetch(...args) {
            const tip = await fetch(...args);
            // As after a long sleep: the lease ran out, and another node took it.
            await there.db.updateTable("repo_leases").set({ until: 1 }).execute();
            const { repo_id } =
              (await there.db.selectFrom("repo_leases").selectAll().executeTakeFirst())!;
            assert.ok(await takeRepoLease(there.db, { repo_id, owner: "bo", node_id: null }, 1));
            return tip;
          },
        }));
        const before = await there.subjects();
        await assert.rejects(ada.commit("ada.txt"), {
          code: "conflict",
          message: "Cannot add ada.txt: the lease of the repo went to another svc",
        });
        assert.deepEqual(await there.subjects(), before);
        assert.deepEqual(await status(ada), [before.join("\n"), ""]);
        // It gives back its own only.
        const lease = await there.db.selectFrom("repo_leases").selectAll().executeTakeFirst();
        assert.deepEqual([lease?.owner, lease?.generation], ["bo", 2]);
      },
    );

    await t.step("a push that comes late fails by the ref's expected value", async () => {
      await using there = await team();
      const ada = await there.node("ada");
      const remote = { id: "0".repeat(12), url: `file://${there.bare}`, branch: "main" };
      const place = { root: ada.root, gitDir: `${ada.root}/.git`, commonDir: `${ada.root}/.git` };
      const old = await ada.git("rev-parse", "HEAD");
      await plainGit(ada.root, ["commit", "--quiet", "--allow-empty", "-m", "late"]);
      await aside(there, "person.txt");
      assert.equal(await ada.remotes.land(place, remote, old), false);
      assert.equal((await there.subjects())[0], "person: person.txt");
    });

    await t.step(
      "a push that the remote refuses waits with its reason, and nothing stays",
      async () => {
        await using there = await team();
        const ada = await there.node("ada");
        const hook = `${there.bare}/hooks/pre-receive`;
        await Deno.writeTextFile(hook, "#!/bin/sh\necho main is protected >&2\nexit 1\n", {
          mode: 0o755,
        });
        const before = await there.subjects();
        await assert.rejects(
          ada.commit("ada.txt"),
          (thrown: Error & { detail: { waits: boolean } }) => {
            assert.match(
              thrown.message,
              /the remote says: \[remote rejected\] \(pre-receive hook declined\): main is protected$/,
            );
            return thrown.detail.waits;
          },
        );
        assert.deepEqual(await status(ada), [before.join("\n"), ""]);
        await Deno.remove(hook);
        await ada.commit("ada.txt");
        assert.equal((await there.subjects())[0], "chore: add ada.txt");
      },
    );
  },
);
