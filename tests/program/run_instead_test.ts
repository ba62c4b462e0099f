/** What `svc run` says where a merge comes to something else than the role's word asked for. */
import assert from "node:assert/strict";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";

const approval = {
  reply: { calls: [{ name: "finish", args: { disposition: "approved", evidence: "seen" } }] },
};

async function inReview() {
  const site = await runSite({ scenario: { roles: { engineer: FIX, qa: [approval] } } });
  await site.svc("tickets", "new", "--title", "Mend add");
  assert.equal((await site.run("engineer", ...HOST)).code, 0);
  return site;
}

Deno.test("svc run says that the ticket is blocked where what was approved conflicts", async () => {
  await using site = await inReview();
  const text = await site.repo.read("add.sh");
  await site.repo.commit("a person's way", { "add.sh": text.replace(" - ", " - -") });
  const ran = await site.run("qa", ...HOST, "--json");
  const { decision, next } = ran.json();
  const why = "moved to blocked: merging svc/T-0001-mend-add into main conflicts in add.sh";
  assert.deepEqual([decision.move, decision.instead], ["T-0001: review → done", why]);
  assert.match(next, /^svc tickets show T-0001/);
});

Deno.test("svc run shows it below the route, with the ticket as what comes next", async () => {
  await using site = await inReview();
  const text = await site.repo.read("add.sh");
  await site.repo.commit("a person's way", { "add.sh": text.replace(" - ", " - -") });
  const { stdout } = await site.run("qa", ...HOST);
  assert.match(
    stdout,
    /\nroute: .*\nbut in git: moved to blocked: merging .* conflicts in add\.sh\nnext: svc tickets show T-0001/,
  );
});

Deno.test("svc run says nothing of the kind where the merge came to what was decided", async () => {
  await using site = await inReview();
  const { decision, next } = (await site.run("qa", ...HOST, "--json")).json();
  assert.equal(decision.instead, null);
  assert.match(next, /^svc run orchestrator/);
});
