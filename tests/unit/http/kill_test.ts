/** 202 means durable. `make webhooks-kill` runs 200 rounds. */
import assert from "node:assert/strict";
import { sql } from "svc/store/query.ts";
import { openStore } from "svc/store/open.ts";
import { ports, tempStore } from "tests/unit/store/temp_store.ts";
import { GITHUB_SECRET, hookedRepo, registeredIn, REMOTE, sendGithub } from "./control_place.ts";

const REPOSITORY = { full_name: REMOTE, html_url: `https://github.com/${REMOTE}` };

const ROUNDS = Number(Deno.env.get("SVC_WEBHOOK_KILLS") ?? 6);

const program = new URL("receive_and_die.ts", import.meta.url).href;

/** Sends deliveries one after another, kills the receiver right after one is accepted. */
async function killedReceiver(path: string, round: number): Promise<string[]> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", program, path, GITHUB_SECRET],
    ...{ stdin: "null", stdout: "piped", stderr: "inherit" },
  }).spawn();
  const lines = child.stdout.getReader();
  const { value } = await lines.read();
  const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
  const accepted: string[] = [];
  for (let number = 0; number <= round % 7; number++) {
    const id = `round-${round}-${number}`;
    const payload = {
      ...{ action: "opened", repository: REPOSITORY, sender: { login: "ada" } },
      issue: { number, title: id, labels: [{ name: "svc" }], updated_at: id },
    };
    const { status } = await sendGithub(url, { event: "issues", payload, id });
    assert.equal(status, 202);
    accepted.push(id);
  }
  child.kill("SIGKILL");
  await Promise.all([child.status, lines.cancel()]);
  return accepted;
}

Deno.test("kill -9 right after a 202 loses no delivery, and none is done twice", async () => {
  await using first = await tempStore();
  await using repo = await hookedRepo();
  await registeredIn(first, repo.path);
  const { path } = first;
  for (let round = 0; round < ROUNDS; round++) {
    const accepted = await killedReceiver(path, round);
    await using store = await openStore(ports, path);
    const wishes = await store.db.selectFrom("wishes").selectAll()
      .where("unique_key", "like", `%:round-${round}-%`).execute();
    assert.deepEqual(wishes.map(({ items }) => JSON.parse(items)[0].title), accepted);
    const { rows } = await sql<object>`PRAGMA integrity_check`.execute(store.db);
    assert.deepEqual(rows.flatMap((row) => Object.values(row)), ["ok"]);
  }
});
