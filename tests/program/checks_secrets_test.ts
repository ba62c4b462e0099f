/** A check of the checkout sees the repo's own secrets, and may print them. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("what a check prints of the repo's own secrets is hidden, in the log too", async () => {
  const secret = "tangerine-9f8e7d6c5b4a-harbour";
  await using repo = await tempRepo({ files: { ".gitignore": ".env\n" }, commit: true });
  await repo.write(".env", `SMTP_PASSWORD=${secret}\n`);
  await using home = await tempFolder();
  const [program, ...before] = svcCommand();
  const words = ["checks", "run", "--repo", repo.path, "--name", "env", "--json", "--"];
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...before, ...words, "cat", ".env"],
    env: { HOME: home.path, SVC_HOME: `${home.path}/.svc` },
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 0);
  const { log_path } = JSON.parse(decoder.decode(stdout));
  const all = [decoder.decode(stderr), decoder.decode(stdout), await Deno.readTextFile(log_path)];
  assert.match(all[0]!, /SMTP_PASSWORD=/);
  assert.deepEqual(all.map((text) => text.includes(secret)), [false, false, false]);
});
