/** Jobs at the command line while `svc start` runs: followed, killed, cancelled and repeated from other processes. */
import assert from "node:assert/strict";
import { BUGGY, HOST, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { serving } from "tests/kit/service_site.ts";
import { verifies } from "tests/kit/verifies.ts";
import { call, CEO, turns } from "tests/unit/runtime/team.ts";

/** Acts on the terminal where it is printed as it is. */
const WILD = "a look\u001b]0;owned\u0007 first \u202eesrever";

verifies(
  ["3.2:stop:normal-cancellation", "6:runtime-events:jobs"],
  "a running job is followed until another process cancels it, and a killed follower hurts nothing",
  async () => {
    const engineer = [
      ...turns({ ...call("file_read", { path: "add.sh" }), text: WILD }),
      { when: { turn: 1 }, always: true, bad: "hang" } as const,
    ];
    await using site = await runSite({ scenario: { roles: { ceo: CEO, engineer } }, files: BUGGY });
    const { repo, env, model } = site;
    const none = await site.svc("status", "--json");
    assert.deepEqual([none.json().ok, none.json().running], [true, false]);
    assert.match((await site.svc("status")).stdout, /^No svc runs here\nnext: svc start/m);
    await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
    const anywhere = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
    await using svc = serving({
      ...{ cwd: repo.path, env },
      args: ["start", "--json", "--model-endpoint", model.url, ...anywhere, ...HOST],
    });
    const { dashboard_url } = await svc.first;
    await svc.said(/engineer T-0001 begins/);
    const listed = (await site.svc("jobs", "list", "--status", "running", "--json")).json();
    const [{ id, role, ticket_id }] = listed.jobs;
    assert.deepEqual([role, ticket_id, listed.ok], ["engineer", "T-0001", true]);

    const { places, running } = (await site.svc("status", "--json")).json();
    const [{ services, jobs, repos }] = places;
    assert.deepEqual([running, services.length, jobs.running], [true, 1, 1]);
    assert.deepEqual([services[0].pid, services[0].dashboard_url], [svc.pid, dashboard_url]);
    assert.equal(repos[0].tickets["in-progress"], 1);
    const odd = "docs/tickets/backlog/T-0099-odd.md";
    await repo.write(odd, "no ticket\n");
    assert.match((await site.svc("status")).stdout, /failing: 1$[^]*^next: svc inbox$/m);
    await Deno.remove(`${repo.path}/${odd}`);

    const follow = () => {
      const [program, ...first] = svcCommand();
      return new Deno.Command(program, {
        args: [...first, "jobs", "logs", id.slice(-8), "-f", "--json"],
        ...{ cwd: repo.path, env, clearEnv: true, stdin: "null", stdout: "piped", stderr: "piped" },
      }).spawn();
    };
    const doomed = follow();
    const follower = follow();
    const reader = doomed.stdout.getReader();
    const { value } = await reader.read(); // it has begun to tell
    assert.match(new TextDecoder().decode(value), /^\{"ok":true,"event":"step",/);
    doomed.kill("SIGKILL");
    await doomed.status;
    await reader.cancel();
    await doomed.stderr.cancel();

    const asked = await site.svc("jobs", "cancel", id, "--reason", "wrong one", "--yes");
    assert.match(asked.stdout, /^Asked the worker of engineer on T-0001, job .* to end/);
    const { stdout, code } = await follower.output();
    const lines = new TextDecoder().decode(stdout).trim().split("\n");
    const last = JSON.parse(lines.at(-1)!);
    assert.deepEqual([code, last.status, last.disposition], [0, "failed", "cancelled"]);
    assert.match(last.why, /cancelled by Ada: wrong one/);
    assert.ok(lines.slice(0, -1).every((line) => JSON.parse(line).event === "step"));
    assert.doesNotMatch(lines.join(""), /\p{Cc}|\p{Cf}/u);

    const shown = await site.svc("jobs", "logs", id);
    assert.match(shown.stdout, /^Turn 1 /m);
    assert.match(shown.stdout, /file_read ok/);
    assert.match(shown.stdout, /echo \$\(\(\$1 - \$2\)\)/);
    assert.ok(shown.stdout.includes("␛]0;owned") && !shown.stdout.includes("\u001b"));
    const one = (await site.svc("jobs", "show", id.slice(0, 36), "--json")).json();
    assert.deepEqual([one.job.disposition, one.trace.bytes > 0], ["cancelled", true]);
    svc.signal("SIGTERM");
    assert.equal((await svc.ended).code, 0);
    assert.equal((await site.svc("status", "--json")).json().running, false);
    const explained = await site.svc("explain", "T-0001", "--json");
    assert.equal(explained.json().ticket.id, "T-0001");
    assert.ok(explained.json().decisions.length > 0, explained.stdout);
  },
);
