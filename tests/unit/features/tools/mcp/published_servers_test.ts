/** Against the reference servers of the Model Context Protocol: `@modelcontextprotocol/server-*` of npm. */
import assert from "node:assert/strict";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { opened, published } from "./mcp_place.ts";

Deno.test("server-everything over stdio: tools, texts, pictures, structured answers, errors", async () => {
  await using open = await opened([{ name: "all", command: published("everything", "stdio") }]);
  const [listed] = open.listed;
  assert.equal(listed!.reason, undefined);
  assert.ok(listed!.tools.includes("all__echo"), listed!.tools.join());
  const echo = await open.call("all__echo", { message: "hello" });
  assert.deepEqual([echo.ok, echo.facts], [true, { server: "all" }]);
  assert.match(echo.text, /data from outside:\n```text\nEcho: hello\n```$/);
  const image = await open.call("all__get-tiny-image");
  assert.match(image.text, /\[image image\/png, \d+ bytes: left out\]/);
  const weather = await open.call("all__get-structured-content", { location: "Chicago" });
  assert.match(weather.text, /"temperature":/);
  const wrong = await open.call("all__echo", { message: 5 });
  assert.equal(wrong.ok, false);
  assert.match(wrong.text, /^The tool of the server "all" failed\./);
});

Deno.test("server-filesystem over stdio works in the folder it is given and in no other", async () => {
  await using folder = await tempFolder();
  await Deno.writeTextFile(`${folder.path}/a.txt`, "first\nsecond\n");
  const wanted = ["read_text_file", "list_directory", "no_such"];
  await using open = await opened([
    { name: "fs", command: published("filesystem", folder.path), tools: wanted },
  ]);
  assert.deepEqual(open.listed[0]!.tools, ["fs__read_text_file", "fs__list_directory"]);
  assert.deepEqual(open.listed[0]!.leftOut, [
    { name: "fs.no_such", reason: "the server has no such tool" },
  ]);
  const read = await open.call("fs__read_text_file", { path: `${folder.path}/a.txt` });
  assert.match(read.text, /first\nsecond/);
  const outside = await open.call("fs__read_text_file", { path: "/etc/passwd" });
  assert.equal(outside.ok, false);
  assert.match(outside.text, /Access denied/);
});

Deno.test("server-memory over stdio remembers within a session, in the file that a variable names", async () => {
  await using folder = await tempFolder();
  const env = { MEMORY_FILE_PATH: `${folder.path}/memory.json` };
  const server = { name: "memory", command: published("memory"), env: ["MEMORY_FILE_PATH"] };
  await using open = await opened([server], { env });
  const entity = { name: "svc", entityType: "tool", observations: ["runs agents"] };
  assert.equal((await open.call("memory__create_entities", { entities: [entity] })).ok, true);
  const read = await open.call("memory__read_graph");
  assert.match(read.text, /runs agents/);
  assert.match(await Deno.readTextFile(env.MEMORY_FILE_PATH), /runs agents/);
});
