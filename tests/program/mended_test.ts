/** What the machine blocked is tried again by `svc start` and `svc serve`, through the real program. */
import assert from "node:assert/strict";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { until } from "tests/kit/until.ts";
import { call, CEO, finish, ORCHESTRATOR, QA, turns } from "tests/unit/runtime/team.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

const ENGINEER = turns(
  call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" }),
  call("git_commit", { message: "fix(add): add, not subtract" }),
  finish("submitted"),
);

for (const name of ["start", "serve"]) {
  Deno.test(`a ticket that a failing set-up blocked is tried again by the next svc ${name}`, async () => {
    await using site = await runSite({
      scenario: { roles: { ceo: CEO, orchestrator: ORCHESTRATOR, engineer: ENGINEER, qa: QA } },
    });
    const { repo: { path }, home, env, model } = site;
    const installed = `${home}/installed`;
    const manifest = `${path}/.harness/manifest.yaml`;
    const step = `[{ name: deps, run: [test, -e, ${JSON.stringify(installed)}] }]`;
    const text = await Deno.readTextFile(manifest);
    await Deno.writeTextFile(manifest, text.replace(/setup: \[\]/, `setup: ${step}`));
    await site.repo.commit("ci: what a work tree needs");
    const { code, stderr } = name === "start"
      ? { code: 0, stderr: "" }
      : await site.svc("register");
    assert.equal(code, 0, stderr);
    await site.svc("tickets", "new", "--title", "Mend add");

    const lists = (state: string) =>
      [...Deno.readDirSync(`${path}/docs/tickets/${state}`)].some(({ name }) =>
        name.startsWith("T-0001")
      );
    const reaches = async (state: string) => {
      await using service = serving({
        ...{ cwd: path, env },
        args: [name, "--json", "--model-endpoint", model.url, ...ANYWHERE, ...HOST],
      });
      await service.first;
      await until(() => lists(state), () => `T-0001 in another folder than ${state}`);
      service.signal("SIGTERM");
      assert.equal((await service.ended).code, 0, (await service.ended).stderr);
    };
    await reaches("blocked");
    await Deno.writeTextFile(installed, "");
    await reaches("done");
    assert.match(
      await site.repo.git("log", "--format=%s"),
      /^chore\(tickets\): move T-0001 to backlog$/m,
    );
  });
}
