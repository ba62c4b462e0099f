/** The only module that writes the `services` table. */
import type { Life } from "svc/platform/process/identity.ts";
import type { Db } from "svc/store/schema.ts";
import type { ServiceRecord } from "./service_table.ts";

interface KnownService extends ServiceRecord {
  /** `unknown`: it runs on another machine, or in another container. */
  readonly life: Exclude<Life, "dead">;
}

type IsAlive = (owner: string) => Promise<Life>;

async function withLife(db: Db, isAlive: IsAlive) {
  const rows = await db.selectFrom("services").selectAll().orderBy("started_at").execute();
  return await Promise.all(rows.map(async (row) => ({ ...row, life: await isAlive(row.owner) })));
}

/** Those that were not killed, oldest first. Not in a transaction: it looks at processes. */
export async function livingServices(db: Db, isAlive: IsAlive): Promise<KnownService[]> {
  return (await withLife(db, isAlive)).flatMap(({ life, ...row }) =>
    life === "dead" ? [] : [{ ...row, life }]
  );
}

/** Also forgets those that were killed. */
export async function serviceBegan(db: Db, began: ServiceRecord, isAlive: IsAlive): Promise<void> {
  const dead = (await withLife(db, isAlive)).filter(({ life }) => life === "dead")
    .map(({ owner }) => owner);
  if (dead.length > 0) await db.deleteFrom("services").where("owner", "in", dead).execute();
  await db.insertInto("services").values(began)
    .onConflict((on) => on.column("owner").doUpdateSet(began)).execute();
}

export async function serviceEnded(db: Db, owner: string): Promise<void> {
  await db.deleteFrom("services").where("owner", "=", owner).execute();
}
