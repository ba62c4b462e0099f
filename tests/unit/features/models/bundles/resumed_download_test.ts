/** A download that goes on at another server than it began at. */
import assert from "node:assert/strict";
import { sendFiles } from "tests/kit/servers/send_files.ts";
import { artifactOf, content, downloadPlace } from "./download_place.ts";

const BYTES = content(1024 * 1024);

Deno.test("the ETag of another server, which this one has none like, makes it begin anew once, not each time", async () => {
  await using place = await downloadPlace();
  await using server = await sendFiles(place.root);
  await place.serve(BYTES);
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, BYTES.subarray(0, 200_000));
  await Deno.writeTextFile(`${place.path}.part.etag`, '"of-another-server"\n');
  const report = ({ done }: { done: number }) => {
    if (done > 500_000) throw new Error("stopped");
  };
  const artifact = await artifactOf(server.origin, BYTES);
  await assert.rejects(place.get(artifact, { report }), /stopped/);
  const { size } = await Deno.stat(`${place.path}.part`);
  const before = server.asked.length;
  await place.get(artifact);
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.equal(server.asked[before], `bytes=${size}- -`);
});
