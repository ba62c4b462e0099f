/** Three nodes of a team, several shared repos and their bare remotes, while nodes and connections are killed. */
import assert from "node:assert/strict";
import { TICKETS } from "svc/features/tickets/ticket_places.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { dice } from "tests/fault/chaos/dice.ts";
import type { ChatRequest } from "tests/kit/model_endpoint.ts";
import { said } from "tests/kit/scripted_turns.ts";
import type { Serving } from "tests/kit/service_site.ts";
import { type TeamNode, type TeamSite, teamSite } from "tests/kit/team_site.ts";
import { plainGit, type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";
import { enginePorts, type Parts, ticketed } from "tests/unit/runtime/engine_place.ts";
import { call, finish, ORCHESTRATOR, turns } from "tests/unit/runtime/team.ts";

/** The ticket that a job is about; its own comes first in the prompt. */
const ticketOf = (request: ChatRequest) => /\bT-\d{4}\b/.exec(said(request))?.[0] ?? "T-0000";

const ROLES = {
  orchestrator: ORCHESTRATOR,
  ceo: turns(finish("planned")),
  engineer: turns(
    (request) => call("file_write", { path: `work/${ticketOf(request)}.txt`, content: "done\n" }),
    // A file that was not read may not be written, and work that no green check judged waits for a person.
    call("file_read", { path: "add.sh" }),
    call("file_write", { path: "add.sh", content: "echo $(($1 + $2))\n" }),
    call("git_commit", { message: "feat: do what the ticket says" }),
    finish("submitted"),
  ),
  qa: turns(call("git_diff", { since: "main" }), finish("approved")),
};

export interface HavocPlan {
  readonly kills: number;
  readonly seed: number;
  readonly nodes?: number;
  readonly repos?: number;
  /** So many are open in each repo at once. */
  readonly tickets?: number;
  /** A node that holds a repo's lease stands still, so many times, until others have taken all that it had. */
  readonly stalls?: number;
  progress?(line: string): void;
}

interface SharedRepo {
  readonly bare: string;
  /** A person's clone. */
  readonly clone: string;
  tickets: number;
}

interface Node {
  readonly name: string;
  readonly node: TeamNode;
  serving: Serving;
}

/** @throws when git fails: nothing that is looked at may be missing without a word */
async function git(repo: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await plainGit(repo, args);
  assert.equal(code, 0, `git ${args.join(" ")} in ${repo}: ${stderr}`);
  return stdout;
}

async function lines(repo: string, ...args: string[]): Promise<string[]> {
  return (await git(repo, ...args)).split("\n").filter((line) => line !== "");
}

/** As the first of the team; nodes clone it by its path. */
async function anotherRepo(team: TeamSite, person: TeamNode, folder: TempFolder, nth: number) {
  const bare = `${folder.path}/repo${nth}.git`;
  await git(folder.path, "clone", "--quiet", "--bare", team.bare, bare);
  await git(bare, "config", "uploadpack.allowFilter", "true");
  const { code, stderr } = await person.svc("register", "--url", bare, "--db", team.db);
  assert.equal(code, 0, stderr);
  return bare;
}

async function cloned(bare: string, folder: TempFolder, nth: number): Promise<SharedRepo> {
  // Tells in the end what the branch has been.
  await git(bare, "config", "core.logAllRefUpdates", "always");
  // A long run has git clean up, and what a test's person pushes has a date of long ago.
  await git(bare, "config", "gc.reflogExpire", "never");
  const clone = `${folder.path}/person${nth}`;
  await git(folder.path, "clone", "--quiet", bare, clone);
  return { bare, clone, tickets: 0 };
}

/** A person writes tickets and pushes them; svc may have been faster. */
async function moreTickets(ports: Parts, repo: SharedRepo, count: number): Promise<void> {
  const { clone } = repo;
  await git(clone, "fetch", "--quiet", "origin");
  await git(clone, "reset", "--quiet", "--hard", "origin/main");
  for (let left = count; left > 0; left--) {
    await ticketed(ports, clone, { title: `Piece ${++repo.tickets}`, acceptance: ["it is there"] });
  }
  for (let tries = 0;; tries++) {
    const push = await plainGit(clone, ["push", "--quiet", "origin", "HEAD:main"]);
    if (push.code === 0) return;
    assert.ok(tries < 20, push.stderr);
    await git(clone, "pull", "--quiet", "--rebase", "origin", "main");
  }
}

const doneIn = async ({ bare }: SharedRepo) =>
  (await lines(bare, "ls-tree", "-r", "--name-only", "main", `${TICKETS}/done/`))
    .filter((path) => /\/T-\d{4}/.test(path));

const openIn = async (repo: SharedRepo) => repo.tickets - (await doneIn(repo)).length;

/** What must hold of a repo, whatever was killed. */
async function assertOnce(repo: SharedRepo): Promise<void> {
  const { bare, tickets } = repo;
  const done = await doneIn(repo);
  const ids = done.map((path) => /T-\d{4}/.exec(path)![0]);
  assert.equal(new Set(ids).size, tickets, `done: ${ids}`);
  const works = await lines(bare, "ls-tree", "--name-only", "main", "work/");
  assert.equal(works.length, tickets, works.join());
  const merges = await lines(bare, "log", "--merges", "--first-parent", "--format=%s", "main");
  const of = merges.map((subject) => /T-\d{4}/.exec(subject)?.[0]);
  assert.deepEqual([...of].sort(), [...ids].sort(), `merges: ${merges.join("\n")}`);
  // Each update of the branch went forward from the one before it: nothing was overwritten.
  const log = (await Deno.readTextFile(`${bare}/logs/refs/heads/main`)).trim().split("\n")
    .map((line) => line.split(" "));
  for (const [nth, [from = "", to = ""]] of log.entries()) {
    if (nth > 0) assert.equal(from, log[nth - 1]![1], "an update that the log does not have");
    await git(bare, "merge-base", "--is-ancestor", from, to);
  }
  for (const path of done) {
    const text = await git(bare, "show", `main:${path}`);
    const after = text.slice(text.indexOf("→ done"));
    assert.doesNotMatch(after, /attempt \d of/, `${path}: worked on once it was done`);
    for (const state of ["in-progress", "review", "done"]) {
      const moves = text.split("\n").filter((line) => line.includes(`→ ${state}`));
      assert.equal(moves.length, 1, `${path} → ${state}:\n${text}`);
    }
  }
  assert.deepEqual(await lines(bare, "fsck", "--no-dangling", "--no-progress"), []);
}

async function assertJobs(team: TeamSite, tickets: number): Promise<void> {
  const twice = await team.rows(
    "SELECT repo_id, ticket_id, disposition, count(*) FROM decisions WHERE ticket_id IS NOT NULL " +
      "AND disposition IN ('submitted', 'approved') GROUP BY 1, 2, 3 HAVING count(*) > 1",
  );
  assert.deepEqual(twice, []);
  const ended = await team.rows(
    "SELECT count(*) FROM decisions WHERE disposition IN ('submitted', 'approved')",
  );
  assert.deepEqual(ended, [String(2 * tickets)]);
  assert.deepEqual(
    await team.rows("SELECT job_id FROM decisions GROUP BY 1 HAVING count(*) > 1"),
    [],
  );
  assert.deepEqual(await team.rows("SELECT id FROM settlements WHERE state = 'pending'"), []);
}

/** Longer than its repo's and its jobs' leases last, and than a leader may be silent. */
const STALL_MS = 75_000;

/** Stops a node while it holds a repo's lease. @returns what ends when it goes on */
async function stalled(
  nodes: readonly Node[],
  held: () => Promise<string[]>,
): Promise<{ readonly over: Promise<void> }> {
  for (;;) {
    const [name] = await held();
    const node = nodes.find((one) => one.name === name);
    if (node === undefined) continue;
    node.serving.signal("SIGSTOP");
    const goOn = () => {
      // It may have been killed meanwhile.
      if (nodes.includes(node)) node.serving.signal("SIGCONT");
    };
    if ((await held()).includes(name!)) {
      const wait = new Promise((resolve) => setTimeout(resolve, STALL_MS));
      return { over: wait.then(goOn) };
    }
    goOn();
  }
}

/** Longer than a lost lease, a retry that was put off and a busy machine take together. */
const LONGEST_MS = 600_000;
const LOOK_MS = 200;

const patiently = (there: () => Promise<boolean>) =>
  until(there, () => "a team that stands still", LOOK_MS, LONGEST_MS);

/** Kills at moments that the model's requests tell, then lets the team end its work, and looks at what it came to. */
export async function havoc(plan: HavocPlan): Promise<{ readonly tickets: number }> {
  const { kills, seed, nodes: size = 3, repos: width = 2, tickets: depth = 2 } = plan;
  const roll = dice(seed);
  await using team = await teamSite({ roles: ROLES }, []);
  await using folder = await tempFolder("svc-havoc-");
  await using ports = await enginePorts(folder.path);
  const person = await team.node("ada");
  const bares = [team.bare];
  while (bares.length < width) bares.push(await anotherRepo(team, person, folder, bares.length));
  const repos = await Promise.all(bares.map((bare, nth) => cloned(bare, folder, nth)));
  for (const repo of repos) await moreTickets(ports, repo, depth);
  const begin = ({ name, node }: Pick<Node, "name" | "node">): Node => ({
    ...{ name, node },
    serving: node.serve(),
  });
  const nodes: Node[] = [];
  for (let nth = 0; nth < size; nth++) {
    const name = `n${nth}`;
    nodes.push(begin({ name, node: await team.node(name) }));
  }
  await Promise.all(nodes.map(({ serving }) => serving.first));
  const admin = await connectAlone(team.cluster.login);
  const database = team.db.slice(team.db.lastIndexOf("/") + 1);
  const others = `FROM pg_stat_activity WHERE datname = '${database}'`;

  const faults = [
    async () => {
      const nth = Math.floor(roll() * size);
      nodes[nth]!.serving.signal("SIGKILL");
      await nodes[nth]!.serving.ended;
      nodes[nth] = begin(nodes[nth]!);
    },
    async () => {
      const some = `SELECT pid ${others} ORDER BY random() LIMIT 1`;
      await admin.query(`SELECT pg_terminate_backend(pid) FROM (${some}) AS one`);
    },
    async () => void await admin.query(`SELECT pg_terminate_backend(pid) ${others}`),
  ];
  const open = async () => {
    const left = await Promise.all(repos.map(openIn));
    return left.reduce((sum, each) => sum + each, 0);
  };
  const holders = () =>
    team.rows(
      "SELECT name FROM repo_leases JOIN nodes ON nodes.id = node_id WHERE repo_leases.owner IS NOT NULL",
    );
  const stalls: Promise<void>[] = [];
  for (let killed = 1; killed <= kills; killed++) {
    for (const repo of repos) {
      const missing = depth - await openIn(repo);
      if (missing > 0) await moreTickets(ports, repo, missing);
    }
    const moment = team.model.requests.length + 1 + Math.floor(roll() * 6);
    await patiently(async () => team.model.requests.length >= moment || await open() === 0);
    await faults[Math.floor(roll() * faults.length)]!();
    const due = Math.ceil(killed * (plan.stalls ?? 0) / kills);
    if (stalls.length < due) stalls.push((await stalled(nodes, holders)).over);
    const made = repos.map(({ tickets }) => tickets).join();
    plan.progress?.(`${killed} killed, ${await open()} tickets open of ${made}`);
  }
  await Promise.all(stalls);
  await patiently(async () => await open() === 0);
  for (const { serving } of nodes) serving.signal("SIGTERM");
  await Promise.all(nodes.map(({ serving }) => serving.ended));
  await admin.end();
  for (const repo of repos) await assertOnce(repo);
  const tickets = repos.reduce((sum, repo) => sum + repo.tickets, 0);
  await assertJobs(team, tickets);
  return { tickets };
}
