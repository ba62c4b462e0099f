import assert from "node:assert/strict";
import { localSecrets } from "svc/features/models/choose/local_secrets.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

Deno.test("localSecrets finds the values of .harness/.env*, and takes no plain word for one", async () => {
  await using at = await tempFolder();
  await using outside = await tempFolder();
  using folder = await openFolder(at.path);
  assert.deepEqual(await localSecrets(folder), [], "no harness");
  await outside.write("env", "LINKED_API_KEY=canary-linked\n");
  await at.write(
    ".harness/.env.local",
    [
      ...[
        "# OPENAI_API_KEY=canary-comment",
        "OPENAI_API_KEY=canary-old",
        "OPENAI_API_KEY=canary-1",
      ],
      ...["export A_TOKEN='canary 2'\r", '  B = "canary\\"3" # note', "C_PASSWORD=canaryword"],
      ...["NODE_ENV=production", "PORT=11434", "BASE=http://127.0.0.1:11434/v1", "EMPTY="],
      ...["DB=postgres://ada:canary-4@db/x", "URL=https://ada:canary-5@host/x", "no line"],
    ].join("\n"),
  );
  await at.write(".harness/.env", "D=canary-6\n");
  await at.write(".harness/other", "E=canary-no\n");
  await Deno.symlink(`${outside.path}/env`, `${at.path}/.harness/.env.linked`);
  assert.deepEqual(await localSecrets(folder), [
    "canary-6",
    ...["canary-old", "canary-1", "canary 2", 'canary"3', "canaryword"],
    ...["postgres://ada:canary-4@db/x", "https://ada:canary-5@host/x"],
  ]);
});
