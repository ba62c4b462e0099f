import assert from "node:assert/strict";
import { ownNode } from "svc/features/nodes/own_node.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";

async function place(host = "build-7:4026531836") {
  const folder = await Deno.makeTempDir({ prefix: "svc-node-" });
  const home = homeOf({ get: (name) => name === "SVC_HOME" ? `${folder}/home` : undefined });
  const self = () => Promise.resolve({ host, boot: "b", pid: 1, start: "1" });
  const remove = () => Deno.remove(folder, { recursive: true });
  return {
    [Symbol.asyncDispose]: remove,
    ports: { files: denoFiles(), home, clock: systemClock, identities: { self } },
  };
}

Deno.test("a home keeps who its node is, and names it after the machine", async () => {
  await using it = await place();
  const node = await ownNode(it.ports);
  assert.equal(node.name, "build-7");
  assert.deepEqual(await ownNode(it.ports), node);
  assert.deepEqual(
    await ownNode({ ...it.ports, identities: { self: () => Promise.reject() } }),
    node,
  );
});

Deno.test("processes that start a new home at once are one node", async () => {
  await using it = await place();
  // Each has seen that no file is there before any writes it.
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  const self = async () => {
    if (++waiting === 5) all.resolve();
    await all.promise;
    return await it.ports.identities.self();
  };
  const starts = Array.from({ length: 5 }, () => ownNode({ ...it.ports, identities: { self } }));
  const ids = new Set((await Promise.all(starts)).map(({ id }) => id));
  assert.deepEqual([...ids], [(await ownNode(it.ports)).id]);
});

Deno.test("the name of a machine that cannot be typed is made one that can", async () => {
  for (const [host, name] of [["Küche 1:7", "K-che-1"], [":7", "node"], ["-x:1", "node"]]) {
    await using it = await place(host);
    assert.equal((await ownNode(it.ports)).name, name);
  }
});

Deno.test("a file that names no node is refused and left as it is", async () => {
  await using it = await place();
  await ownNode(it.ports);
  for (const text of ["", "{}", '{"version":1,"id":"x","name":"y"}']) {
    await Deno.writeTextFile(it.ports.home.node, text);
    await assert.rejects(ownNode(it.ports), {
      code: "environment",
      message: /does not name a node/,
    });
    assert.equal(await Deno.readTextFile(it.ports.home.node), text);
  }
});
