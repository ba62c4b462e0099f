import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, required } from "svc/cli/flags.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { isThere, NODE_GONE_MS } from "svc/features/nodes/node_condition.ts";
import { listNodes } from "svc/features/nodes/node_store.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { copyDatabase } from "svc/store/copy.ts";
import { databaseFile } from "svc/store/database_file.ts";
import { openStore, openToRead, type Store, walStateOf } from "svc/store/open.ts";

/** @throws Failure `not_found`; `conflict` for one in use or of an older svc */
async function openSource(app: App, path: string): Promise<Store> {
  if (!isServerAddress(path)) {
    if (await app.files.stat(path) === undefined) {
      throw new Failure("not_found", `Cannot copy "${path}": there is no such file`, {
        remedy: "Name a database of svc, such as one of: ls ~/.svc/db/*/svc.db",
      });
    }
    if (await walStateOf(app.files, path) === "in use") {
      throw new Failure("conflict", `Cannot copy "${path}": somebody has it open`, {
        remedy: `Stop svc on it; after a kill this settles the file: svc jobs list --db ${
          shellWord(path)
        }`,
      });
    }
  }
  const store = await openToRead(app, path);
  if (store === undefined) {
    throw new Failure("conflict", `Cannot copy "${path}": it has not the tables of this svc`, {
      remedy: `Bring it to them first: svc jobs list --db ${shellWord(path)}`,
    });
  }
  try {
    if (isServerAddress(path)) await mustHaveNoNode(app, store);
    return store;
  } catch (thrown) {
    await store[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** What a service takes in after the copy would stay behind, such as a webhook. @throws Failure `conflict` */
async function mustHaveNoNode({ clock }: App, { db, path }: Store): Promise<void> {
  const here = (await listNodes(db, clock.now())).find(isThere);
  if (here === undefined) return;
  const silent = Math.max(0, Math.round(here.silent / 1000));
  throw new Failure("conflict", `Cannot copy "${path}": node ${here.name} works on it`, {
    remedy: `Stop its services first: svc nodes stop --all --db ${shellWord(path)}; ` +
      `${here.name}, heard ${silent} s ago, is gone after ${
        NODE_GONE_MS / 1000
      } s if it was killed`,
  });
}

export default command({
  about: "Copy a database into an empty one, between a file and a PostgreSQL server",
  details:
    "Copies all of it in one transaction, or nothing. It then reads the copy back, and compares " +
    "counts and checksums. It refuses a database that is in use, and a target that contains " +
    "anything. The source stays as it is. Traces and logs of jobs are not copied.",
  examples: [
    {
      line:
        "svc db copy --from ~/.svc-harness/db/svc.db --to 'postgres:///svc?host=/run/postgresql'",
      about: "from svc serve's own file to a server of this machine, by its socket",
    },
    {
      line: "svc db copy --from ~/.svc-harness/db/svc.db --to postgres://team@db/svc",
      about: "to another machine's",
    },
    { line: "svc db copy --from postgres://team@db/svc --to /data/svc.db", about: "and back" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it decides where a team's state lives" },
  modes: ["json", "plain"],
  flags: {
    from: required(database("Database to copy")),
    to: required(database("Empty or absent database to copy into")),
  },
  result: (z) =>
    z.strictObject({
      from: z.string(),
      to: z.string(),
      rows: z.int(),
      tables: z.array(z.strictObject({ table: z.string(), rows: z.int(), sha256: z.string() })),
    }),

  async run(app: App, { from, to }) {
    await refuseInsideRepo(to, "--to");
    await using source = await openSource(app, from);
    const path = isServerAddress(to) ? to : await databaseFile(app.files, to);
    await using target = await openStore(app, path);
    const tables = await copyDatabase(source, target);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    return { from: source.path, to: target.path, rows, tables };
  },

  show({ from, to, rows, tables }, page) {
    page.table(
      ["table", "rows", "sha256"],
      tables.filter((table) => table.rows > 0)
        .map(({ table, rows, sha256 }) => [table, String(rows), sha256.slice(0, 16)]),
    );
    page.line(page.tone("good", `${rows} rows copied from ${from}, and read back alike`));
    page.next(`svc serve --db ${shellWord(to)}`);
  },
});
