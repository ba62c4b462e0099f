/** `svc serve` while its model is away: nothing listens, then the server loads the model, then it answers. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "tests/kit/free_port.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { harnessedRepo } from "tests/unit/runtime/engine_place.ts";
import { TEAM } from "tests/unit/runtime/team.ts";

/** The first row of what is asked of the database, while svc may still have it open. */
function rowOf(path: string, query: string): Record<string, unknown> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return { ...database.prepare(query).get() };
  } finally {
    database.close();
  }
}

/** As llama.cpp's server answers while it loads (tools/server/README.md, "GET /health"). */
function loadingServer(port: number) {
  const error = { code: 503, message: "Loading model", type: "unavailable_error" };
  return Deno.serve(
    { hostname: "127.0.0.1", port, onListen() {} },
    () => Response.json({ error }, { status: 503 }),
  );
}

Deno.test("svc serve waits for a model that is away: the ticket gets done with its attempts unspent", async () => {
  await using site = await runSite({ scenario: {}, harness: false });
  await using repo = await harnessedRepo();
  assert.equal((await site.svc("register", "--repo", repo.path)).code, 0);
  const made = await site.svc("tickets", "new", "--title", "Mend add", "--repo", repo.path);
  assert.equal(made.code, 0, made.stderr);
  const port = freePort();
  await using svc = serving({
    cwd: "/",
    env: site.env,
    args: [
      ...["serve", "--json", "--model-endpoint", `http://127.0.0.1:${port}/v1`, ...HOST],
      ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
    ],
  });
  const { database } = await svc.first;
  await svc.said(/engineer T-0001: given back: its model is away: .*nothing listens there/);
  const loading = loadingServer(port);
  await svc.said(/engineer T-0001: given back: its model is away: .*Loading model/);
  await loading.shutdown();
  await using _model = modelEndpoint(TEAM, { port });
  await svc.said(/T-0001 moved: review → done/);
  svc.signal("SIGTERM");
  assert.equal((await svc.ended).code, 0);
  assert.match(await repo.read("docs/tickets/done/T-0001-mend-add.md"), /^attempts: 0$/m);
  assert.deepEqual(rowOf(database, "SELECT max(attempt) AS most FROM jobs"), { most: 1 });
  const owed = "SELECT count(*) AS open FROM settlements WHERE state = 'pending'";
  assert.deepEqual(rowOf(database, owed), { open: 0 });
});
