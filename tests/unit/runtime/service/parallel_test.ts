/** Tickets of one repo beside each other, where the role that does them is `parallel`. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { said } from "tests/kit/scripted_turns.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";
import { call, finish, TEAM, turns } from "tests/unit/runtime/team.ts";
import {
  enginePorts,
  harnessedRepo,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";
import { watchedService } from "tests/unit/runtime/service_place.ts";

/** Each ticket has a file of its own; the first one makes the check pass. */
const ENGINEER = turns(
  call("file_write", { path: "fixed.txt", content: "fixed\n" }),
  (request) => {
    const id = /T-\d{4}/.exec(said(request))![0];
    return call("file_write", { path: `${id}.txt`, content: "work\n" });
  },
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted"),
);

Deno.test("tickets of a parallel role are worked on beside each other, as many as there are places", async () => {
  await using repo = await harnessedRepo({
    manifest: (text) => text.replace(/^ {2}engineer:\n/m, "$&    parallel: true\n"),
  });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const begun = () =>
    new Set(endpoint.requests.flatMap(({ request: { messages } }) => {
      const [system, task] = messages;
      const engineers = system!.content.startsWith("# Role: engineer");
      return engineers ? /T-\d{4}/.exec(task!.content) ?? [] : [];
    }));
  // No answer comes before two tickets have been begun.
  const pace = () => until(() => begun().size >= 2, () => `a second ticket beside ${[...begun()]}`);
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer: ENGINEER } }, { pace });
  await registered(ports, repo.path);
  for (const title of ["One", "Two", "Three"]) await ticketed(ports, repo.path, { title });
  await using watched = watchedService(ports, { modelEndpoint: endpoint.url });
  for (const id of ["T-0001", "T-0002", "T-0003"]) {
    await watched.stored((type, data) =>
      type === "ticket_update" && data.to === "done" && data.ticket_id === id
    );
  }
  await watched.service.stop();
  await watched.service.done;
  const tickets = await ticketsOf(ports, repo.path);
  assert.deepEqual(tickets.map(({ state }) => state), ["done", "done", "done"]);
  assert.match(await repo.git("ls-files"), /T-0001\.txt\nT-0002\.txt\nT-0003\.txt/);
});
