/** How things stand, where a folder lies on another node. */
import assert from "node:assert/strict";
import { ownerText } from "svc/features/jobs/owner.ts";
import { serviceBegan } from "svc/features/jobs/service_store.ts";
import { nodeBegan } from "svc/features/nodes/node_store.ts";
import { insertRepo } from "svc/features/repos/repo_store.ts";
import { placeStatus } from "svc/runtime/service/place_status.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { enginePorts, harnessedRepo, registered } from "tests/unit/runtime/engine_place.ts";

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "svc status names the folder that a running service has not taken in yet",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const { db, identities } = ports;
    await registered(ports, repo.path);
    const owner = ownerText(await identities.self(), "serve");
    const serves = { owner, shape: "serve", profile: "observer", repo_id: null } as const;
    const store = { db, path: `${base.path}/svc.db` } as Parameters<typeof placeStatus>[1];
    const signal = new AbortController().signal;
    const problem = async () => (await placeStatus({ ...ports, signal }, store)).repos[0]!.problem;
    const begins = (started_at: number) =>
      serviceBegan(
        db,
        { ...serves, started_at, dashboard_url: null, control_url: null },
        () => Promise.resolve("alive"),
      );
    assert.equal(await problem(), null);
    await begins(1);
    assert.match(
      await problem() ?? "",
      /^it was registered after svc serve began, .*started again/,
    );
    await begins(Date.now() + 1);
    assert.equal(await problem(), null);
  },
);

const NODE = crypto.randomUUID();
const OTHER = crypto.randomUUID();

verifies(
  ["2.1:shared-database:holds-serve-state"],
  "svc status names the node on which a folder lies, and reads only what lies here",
  async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const { db } = ports;
    await registered(ports, repo.path);
    const facts = { abilities: "[]", concurrency: 1, name: "north", schema: 1, version: "1" };
    await db.transaction().execute((tx) =>
      nodeBegan(tx, { id: NODE, owner: "o1", ...facts }, null, 1)
    );
    const far = { branch: "main", remote: null, host: null };
    // At a path that this machine has too.
    await insertRepo(db, { ...far, id: "a".repeat(12), path: base.path, node_id: NODE }, 1);
    await insertRepo(db, { ...far, id: "b".repeat(12), path: "/somewhere", node_id: OTHER }, 1);
    const store = { db, path: `${base.path}/svc.db` } as Parameters<typeof placeStatus>[1];
    const signal = new AbortController().signal;
    const { repos } = await placeStatus({ ...ports, signal }, store);
    const problems = new Map(repos.map(({ path, problem }) => [path, problem]));
    assert.equal(problems.get(repo.path), null);
    const way = "(svc register --url shares a repo)";
    assert.equal(problems.get(base.path), `its folder lies on node north ${way}`);
    assert.equal(problems.get("/somewhere"), `its folder lies on another node ${way}`);
  },
);
