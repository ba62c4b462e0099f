/** Nodes of one team on PostgreSQL (Debian's 15) and a bare remote behind git-http-backend(1), which is git's own. */
import assert from "node:assert/strict";
import { POSTGRES } from "tests/kit/postgres.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { teamSite } from "tests/kit/team_site.ts";
import { until } from "tests/kit/until.ts";
import { verifies } from "tests/kit/verifies.ts";
import { call, CEO, finish, turns } from "tests/unit/runtime/team.ts";

const ignore = POSTGRES === undefined;

const REPAIR = turns(
  call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix(add): add, not subtract" }),
  finish("submitted"),
);

const roles = { ceo: CEO, engineer: REPAIR, qa: turns(finish("approved")) };

const merges = async (bare: string) =>
  (await plainGit(bare, ["log", "--merges", "--format=%s", "main"])).stdout.trim().split("\n")
    .filter((line) => line !== "");

verifies(
  ["4.5:register:db", "2.1:shared-database:holds-serve-state"],
  "a ticket goes from backlog to done across two nodes, with one merge at the remote",
  { ignore },
  async () => {
    await using team = await teamSite({ roles });
    const [ada, bo] = [await team.node("ada"), await team.node("bo")];
    await using first = ada.serve();
    await first.said(/engineer T-0001 begins/);
    // It lets its job end, and takes no other.
    first.signal("SIGTERM");
    const { code, stderr } = await first.ended;
    assert.equal(code, 0, stderr);
    await using second = bo.serve();
    await second.said(/T-0001 moved: review → done/);
    assert.deepEqual(await merges(team.bare), [
      "chore(merge): merge svc/T-0001-mend-add into main",
    ]);
    // The branch has done its work, on the remote too.
    const branches = async () => (await plainGit(team.bare, ["branch", "--list", "svc/*"])).stdout;
    await until(async () => await branches() === "", () => "a branch of svc at the remote");
    const { stdout } = await plainGit(team.bare, ["show", "main:add.sh"]);
    assert.equal(stdout, "echo $(($1 + $2))\n");
    const ran = "SELECT role, nodes.name FROM jobs JOIN nodes ON nodes.id = node_id " +
      "WHERE ticket_id = 'T-0001' ORDER BY 1";
    assert.deepEqual(await team.rows(ran), ["engineer|ada", "qa|bo"]);
    // Given back by both.
    const leases = "SELECT count(*) FROM repo_leases WHERE owner IS NOT NULL";
    assert.deepEqual(await team.rows(leases), ["0"]);
  },
);
