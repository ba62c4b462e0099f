/** What is asked of the requests of a week goes along their keys, and reads those of no other repo. */
import assert from "node:assert/strict";
import { CompiledQuery } from "kysely";
import {
  eventsOfPull,
  requestsOfIssue,
  reviewsOfPull,
} from "svc/features/webhooks/request_store.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const REPO = "0123456789ab";

Deno.test("requests about one issue or pull request are found by their keys", async () => {
  await using store = await tempStore();
  const plans: string[] = [];
  const db = store.db.withPlugin({
    transformQuery({ node, queryId }) {
      const { sql, parameters } = store.db.getExecutor().compileQuery(node, queryId);
      asked.push(CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]));
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const asked: CompiledQuery[] = [];
  const row = { id: 1, repo_id: REPO };
  await requestsOfIssue(db, row, "github-7");
  await eventsOfPull(db, row, 7);
  await reviewsOfPull(db, REPO, 7);
  for (const one of asked) {
    const { rows } = await store.db.executeQuery<{ detail: string }>(one);
    plans.push(...rows.map(({ detail }) => detail).filter((detail) => /wishes/.test(detail)));
  }
  const [issue, ...pulls] = plans;
  assert.match(issue!, /INDEX wishes_once \(repo_id=\?\)/);
  assert.equal(pulls.length, 2 + 1);
  for (const plan of pulls) {
    assert.match(plan, /INDEX wishes_once \(repo_id=\? AND unique_key>\? AND unique_key<\?\)/);
  }
});
