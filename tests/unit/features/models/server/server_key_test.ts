import assert from "node:assert/strict";
import { keyForServer, ownServerKey } from "svc/features/models/server/server_key.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const files = denoFiles();
const PORT = 18_080;
const OWN = { endpoint: `http://127.0.0.1:${PORT}/v1` };

Deno.test("the key of svc's own server stays, is the owner's alone, and goes to that server alone", async () => {
  await using folder = await tempFolder();
  const home = { models: folder.path };
  const known = (route: { endpoint: string; apiKeyEnv?: string }, server?: { port: number }) =>
    ownServerKey({ files, home }, server, route);
  assert.equal(await known(OWN, { port: PORT }), undefined, "before the first start");
  const key = await keyForServer(files, { models: folder.path, port: PORT });
  assert.match(key, /^[\da-f]{64}$/);
  assert.equal(await keyForServer(files, { models: folder.path, port: PORT }), key);
  assert.equal(await known(OWN, { port: PORT }), key);
  assert.notEqual(await keyForServer(files, { models: folder.path, port: PORT + 1 }), key);
  assert.equal(await known(OWN), undefined, "a config that names no server");
  assert.equal(await known({ endpoint: "http://127.0.0.1:11434/v1" }, { port: PORT }), undefined);
  assert.equal(await known({ endpoint: `http://192.0.2.1:${PORT}/v1` }, { port: PORT }), undefined);
  assert.equal(await known({ ...OWN, apiKeyEnv: "MY_KEY" }, { port: PORT }), undefined);
});

Deno.test("a key that others could read, or that is none, is made anew", async () => {
  await using folder = await tempFolder();
  const place = { models: folder.path, port: PORT };
  const path = `${folder.path}/llama-server-${PORT}.key`;
  const first = await keyForServer(files, place);
  await Deno.chmod(path, 0o644);
  const second = await keyForServer(files, place);
  assert.notEqual(second, first);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  await Deno.writeTextFile(path, "");
  assert.match(await keyForServer(files, place), /^[\da-f]{64}$/);
});
