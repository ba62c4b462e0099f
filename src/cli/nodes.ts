/** Shared by the commands of `svc nodes`: the team's database, and how a node is asked for something. */
import type { z } from "zod";
import type { App } from "svc/app.ts";
import { database, many, on, text } from "svc/cli/flags.ts";
import type { Page } from "svc/cli/page/page.ts";
import { userName } from "svc/cli/page/ticket.ts";
import { personText } from "svc/cli/person_text.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { askNodes, type NodeAct, refuseFile } from "svc/runtime/service/node_asks.ts";
import { openShared } from "svc/store/placement.ts";

export const TEAM_DB = {
  db: database("The team's database, on a server: postgres://<user>@<host>/<database>"),
} as const;

/** @returns the address of a server @throws Failure `usage` for a file, on which there are no nodes */
export async function teamAddress(db: string | undefined, doing: string): Promise<string> {
  if (db !== undefined && isServerAddress(db)) return db;
  if (db !== undefined) await refuseInsideRepo(db, "--db");
  throw refuseFile(doing);
}

const noAddress = { configGet: () => Promise.resolve(undefined) };

/** As git calls this user, whatever the current folder is. */
export const personHere = (app: App): Promise<string> => userName(app, noAddress);

export const ASK_FLAGS = {
  all: on("All nodes that are there"),
  reason: text("text", "Why; it is shown with the node"),
  ...TEAM_DB,
} as const;

export const ASK_ARGS = {
  nodes: many(text("node", "Names of nodes, as svc nodes shows them", { suggest: "nodes" })),
} as const;

export const askShape = (zod: typeof z) =>
  zod.strictObject({
    /** Those that were asked. */
    nodes: zod.array(zod.strictObject({
      name: zod.string(),
      /** What it was at when it was asked. */
      condition: zod.string(),
      running: zod.int(),
    })),
    /** Something that looked like a secret was left out of the reason. */
    redacted: zod.boolean(),
  });
type Asked = Immutable<z.infer<ReturnType<typeof askShape>>>;

interface AskWords {
  readonly nodes: readonly string[];
  readonly all: boolean;
  readonly reason: string | undefined;
  readonly db: string | undefined;
}

/** @throws Failure as `askNodes` */
export async function askTeam(app: App, act: NodeAct, words: AskWords): Promise<Asked> {
  const db = await teamAddress(words.db, `${act} a node`);
  if (words.all === words.nodes.length > 0) {
    throw new Failure(
      "usage",
      `Cannot ${act} nodes: ${words.all ? "--all and names" : "none is named"}`,
      {
        remedy: `Name nodes, or give --all: svc nodes ${act} <name>`,
      },
    );
  }
  const { text: reason, redacted } = await personText(app, words.reason);
  const by = await personHere(app);
  await using store = await openShared(app, { db });
  const nodes = words.all ? "all" as const : words.nodes;
  const asked = await askNodes({ db: store.db, clock: app.clock }, { act, nodes, by, reason });
  return {
    nodes: asked.map(({ name, condition, running }) => ({ name, condition, running })),
    redacted,
  };
}

/** @param then what becomes of it, after "Asked north" */
export function showAsked(
  { nodes, redacted }: Asked,
  page: Page,
  then: string,
  asked: { readonly db?: string | undefined },
): void {
  for (const { name, running } of nodes) {
    const jobs = running === 0 ? "" : ` (${counted(running, "job")} running)`;
    page.line(`Asked ${page.tone("strong", name)}${jobs}: ${then}`);
  }
  if (nodes.length === 0) page.line("No node is there");
  if (redacted) page.line(page.tone("warn", "what looks like a secret was left out"));
  page.next(`svc nodes${samePlace(asked)}`);
}
