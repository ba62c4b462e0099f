/** Nodes of a team whose clones are partial: no content of an old commit is there, and a merge needs some. */
import assert from "node:assert/strict";
import { addLongHistory } from "tests/kit/long_history.ts";
import { POSTGRES } from "tests/kit/postgres.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { type TeamNode, teamSite } from "tests/kit/team_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { call, CEO, finish, turns } from "tests/unit/runtime/team.ts";

const ignore = POSTGRES === undefined;

const SUM = "echo $(($1 + $2))";

const REPAIR = turns(
  call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix(add): add, not subtract" }),
  finish("submitted"),
);

const roles = { ceo: CEO, engineer: REPAIR, qa: turns(finish("approved")) };

const BRANCH = "svc/T-0001-mend-add";

/** The last line of add.sh and what is above it, far enough from each other to be merged. */
const script = (top: string, sum: string) => `# ${top}\n${"#\n".repeat(8)}${sum}\n`;

async function cloneOf(node: TeamNode) {
  const folders = (await Array.fromAsync(Deno.readDir(`${node.home}/repos`))).map((one) =>
    one.name
  );
  assert.equal(folders.length, 1);
  const root = `${node.home}/repos/${folders[0]}/app`;
  return async (...args: string[]) => await plainGit(root, args);
}

verifies(
  ["4.5:register:db", "2.1:shared-database:holds-serve-state"],
  "a ticket is done on partial clones, where branches were merged with each other and somebody pushes meanwhile",
  { ignore },
  async () => {
    await using team = await teamSite({ roles });
    const { person, bare } = team;
    const change = (message: string, files: Record<string, string>) =>
      person.commit(`${message}\n\nSvc-Role: person`, files);
    const push = () => person.git("push", "--quiet", "origin", "HEAD");
    await addLongHistory(person, { contents: 20_200, path: "add.sh" });
    await change("subtract", { "add.sh": script("old", SUM.replace("+", "-")) });
    await push();

    /** Does it once, after the remote was asked to take the branch and before it answers. */
    const whilePushed = (branch: string, work: () => Promise<unknown>) => {
      let pushes = 0;
      team.watch(async (request) => {
        if (request.method !== "POST" || !request.url.endsWith("/git-receive-pack")) return;
        const text = new TextDecoder("latin1").decode(await request.clone().arrayBuffer());
        if (text.includes(`refs/heads/${branch}\0`) && ++pushes === 1) await work();
      });
      return () => pushes;
    };
    const ada = await team.node("ada");
    // Somebody changes the same file while the engineer works.
    whilePushed(BRANCH, async () => {
      await person.git("pull", "--quiet", "--ff-only", "origin", "main");
      await change("say what it does", { "add.sh": script("Adds.", SUM.replace("+", "-")) });
      await push();
    });
    await using first = ada.serve();
    await first.said(/engineer T-0001 begins/);
    first.signal("SIGTERM");
    const { code, stderr } = await first.ended;
    assert.equal(code, 0, stderr);
    const adas = await cloneOf(ada);
    assert.equal((await adas("config", "extensions.partialClone")).stdout, "svc\n");

    // Each branch takes the other's work.
    await person.git("fetch", "--quiet", "origin");
    await person.git("merge", "--quiet", "--ff-only", "origin/main");
    await person.git("branch", "mine");
    await person.git("switch", "--quiet", BRANCH);
    await person.git("merge", "--quiet", "-m", "take main\n\nSvc-Role: person", "mine");
    await change("leave a note", { "note.txt": "noted\n" });
    await push();
    await person.git("switch", "--quiet", "main");
    const work = (await person.git("rev-parse", `${BRANCH}~1^1`)).trim();
    await person.git("merge", "--quiet", "-m", "take the work", work);
    await push();

    const bo = await team.node("bo");
    // The first push of the merge comes too late.
    const pushes = whilePushed("main", async () => {
      await change("more", { "more.txt": "more\n" });
      await push();
    });
    await using second = bo.serve();
    assert.match(await second.said(/T-0001 moved|lacks contents/), /review → done/);
    const bos = await cloneOf(bo);
    assert.equal((await bos("config", "extensions.partialClone")).stdout, "svc\n");
    assert.notEqual((await bos("show", "HEAD~20:add.sh")).code, 0);
    assert.ok(pushes() > 1);
    const files = await plainGit(bare, ["ls-tree", "--name-only", "main"]);
    assert.match(files.stdout, /^more\.txt\n.*^note\.txt\n/ms);
    const { stdout } = await plainGit(bare, ["show", "main:add.sh"]);
    assert.equal(stdout, script("Adds.", SUM));
    assert.equal((await plainGit(bare, ["fsck", "--strict"])).code, 0);
  },
);
