/** GitHub's own example payloads, all of them. */
import assert from "node:assert/strict";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { controlPlace, REMOTE } from "./control_place.ts";

interface Example {
  readonly name: string;
  readonly examples: readonly Record<string, unknown>[];
}

Deno.test("every example of GitHub is answered, none with an error", async () => {
  await using place = await controlPlace();
  const seen = new Map<string, number>();
  let count = 0;
  for (const { name, examples: payloads } of examples as unknown as Example[]) {
    for (const payload of payloads) {
      // As it is, and as if it were of the registered repo.
      const here = {
        ...payload,
        repository: { ...payload.repository as object, full_name: REMOTE },
      };
      for (const sent of [payload, here]) {
        const { status } = await place.github(name, sent);
        assert.ok(status === 200 || status === 202, `${name} ${payload.action}: ${status}`);
        seen.set(`${name} ${status}`, (seen.get(`${name} ${status}`) ?? 0) + 1);
      }
      count++;
    }
  }
  assert.equal(count, 329);
  assert.ok(seen.get("pull_request 202"));
  assert.deepEqual(place.logged, []);
});
