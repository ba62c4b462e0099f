import assert from "node:assert/strict";
import { appSecrets, localSecrets } from "svc/features/models/choose/local_secrets.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";

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

Deno.test("appSecrets finds what the repo's own .env files give to names of secrets, unless git tracks them", async () => {
  await using repo = await tempRepo({
    files: { ".env": "DB_PASSWORD=canary-tracked\n", ".gitignore": ".env.*\n" },
    commit: true,
  });
  const { git, folder, ...opened } = await checkoutAt(repo.path);
  using _opened = opened;
  assert.deepEqual(await appSecrets(folder, git), []);
  await repo.write(
    ".env.local",
    [
      ...[
        "DB_PASSWORD=canary-1",
        "SMTP_PASS=canary-2",
        "JWT_SECRET='canary 3'",
        "A_TOKEN=canary-4",
      ],
      ...["SECRET_KEY_BASE=canary-0123456789abcdef", "DATABASE_URL=postgres://u:canary-5@db/x"],
      // Words, settings, places, and names that only speak of secrets.
      ...["PG_PASSWORD=postgres", "CACHE_KEY=users-v1", "TOKEN_COOKIE=app_session_id"],
      ...["APP_NAME=my-app-2", "KEY_FILE=/etc/app/key.pem", "NODE_ENV=production", "PORT=8080"],
    ].join("\n"),
  );
  assert.deepEqual(await appSecrets(folder, git), [
    ...["canary-1", "canary-2", "canary 3", "canary-4", "canary-0123456789abcdef"],
    ...["canary-5", "canary-5"],
  ]);
});
