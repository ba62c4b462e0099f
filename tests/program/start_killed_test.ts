/** `svc start` that is killed while a role's edit lies in its work tree, and what the next one makes of it. */
import assert from "node:assert/strict";
import { HOST, type RunSite, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { call, CEO, finish, turns } from "tests/unit/runtime/team.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

function start({ model, repo, env }: RunSite) {
  const words = ["start", "--json", "--model-endpoint", model.url, ...ANYWHERE, ...HOST];
  return serving({ cwd: repo.path, env, args: words });
}

Deno.test("an edit that kill -9 left in the tree is told to the next attempt, which hands it in", async () => {
  const edit = call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" });
  const hangs = [...turns(edit), { when: { turn: 1 }, always: true, bad: "hang" }];
  await using site = await runSite({
    scenario: {
      roles: {
        ceo: CEO,
        engineer: [hangs, turns(call("git_diff", {}), finish("submitted"))],
        qa: turns(finish("approved")),
      },
    },
  });
  await site.svc("tickets", "new", "--title", "Mend add", "--role", "engineer");
  await using killed = start(site);
  await killed.said(/engineer T-0001 begins/);
  await site.model.asked(4); // two of the ceo
  killed.signal("SIGKILL");
  await killed.ended;

  await using again = start(site);
  await again.said(/T-0001 moved: review → done/);
  again.signal("SIGTERM");
  assert.equal((await again.ended).code, 0);
  const [told, diff] = site.model.requests.slice(4)
    .map(({ request }) => request.messages.at(-1)!.content);
  assert.match(told!, /It was cut off\.[^`]*- file_edit "add\.sh"/);
  assert.match(told!, /in your work tree, not committed[^`]*```text\nM add\.sh\n```/);
  assert.match(diff!, /^\+echo \$\(\(\$1 \+ \$2\)\)$/m);
  assert.equal(await site.repo.read("add.sh"), "echo $(($1 + $2))\n");
});
