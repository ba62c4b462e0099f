/** What commands say of a job whose process was killed, before svc starts again. */
import assert from "node:assert/strict";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { CEO } from "tests/unit/runtime/team.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

Deno.test("nobody is said to work on a job whose process died, nor to end it", async () => {
  const hangs = [{ always: true, bad: "hang" }];
  await using site = await runSite({ scenario: { roles: { ceo: CEO, engineer: hangs } } });
  const { repo, env, model } = site;
  await site.svc("tickets", "new", "--title", "Mend add", "--role", "engineer");
  const words = ["start", "--json", "--model-endpoint", model.url, ...ANYWHERE, ...HOST];
  await using start = serving({ cwd: repo.path, env, args: words });
  await start.said(/engineer T-0001 begins/);
  const running = async () =>
    (await site.svc("jobs", "list", "--status", "running", "--json")).json().jobs[0];
  assert.match((await running()).why, /^works/);
  start.signal("SIGKILL");
  await start.ended;

  const { id, why } = await running();
  assert.equal(why, "its process died; svc start takes it up again");
  assert.equal((await site.svc("jobs", "show", id, "--json")).json().why, why);
  const [place] = (await site.svc("status", "--json")).json().places;
  assert.deepEqual(place.jobs, { running: 0, waiting: 0, abandoned: 1 });
  assert.match((await site.svc("status")).stdout, /the process of 1 job died: svc start takes up/);
  const logs = await site.svc("jobs", "logs", id);
  assert.match(logs.stdout, /running, its process died.*\nnext: svc start$/m);
  const cancelled = await site.svc("jobs", "cancel", id, "--reason", "not now", "--yes");
  assert.match(
    cancelled.stdout,
    /^The process of engineer .* died: it ends when svc starts again$/m,
  );
  assert.match(cancelled.stdout, /^next: svc start$/m);
  assert.equal((await running()).why, "its process died; svc start ends it");
});
