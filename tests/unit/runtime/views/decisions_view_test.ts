/** Decisions of several repos, and of one of them. */
import assert from "node:assert/strict";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { verifies } from "tests/kit/verifies.ts";
import { readsOf, site } from "./site.ts";

verifies(
  ["4.3:orchestration-decisions:repo-filter"],
  "decisions are of all repos that are served, or of the one that is asked for",
  async () => {
    await using place = await site();
    const { ports, repoId } = place;
    const { db } = ports;
    const other = "ffffffffffff";
    const [row] = await db.selectFrom("decisions").selectAll().limit(1).execute();
    const strange = { ...row!, id: crypto.randomUUID(), repo_id: other };
    await db.insertInto("decisions").values(strange).execute();
    const [known] = await listRepos(db);
    const repos = () => Promise.resolve([known!, { ...known!, id: other, path: "/srv/other" }]);
    const reads = readsOf(ports, { repos });
    const decidedIn = async (...query: [{ repo_id: string }?]) => {
      const found = await reads["orchestration/decisions"](...query);
      return [...new Set(found!.decisions.map(({ repo_id }) => repo_id))].sort();
    };
    assert.deepEqual(await decidedIn(), [repoId, other].sort());
    assert.deepEqual(await decidedIn({ repo_id: repoId }), [repoId]);
    assert.deepEqual(await decidedIn({ repo_id: other }), [other]);
  },
);
