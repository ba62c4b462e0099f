/** A program for tests to kill: stores rows, and prints a row's number once it is acknowledged. */
import { denoFiles } from "svc/platform/files/files.ts";
import { systemClock } from "svc/platform/clock.ts";
import { openStore } from "svc/store/open.ts";

const [how, path, round] = Deno.args as ["rows" | "count", string, string];
await using store = await openStore({ files: denoFiles(), clock: systemClock }, path);
const { db } = store;

/** One row in each transaction, for ever. */
async function rows(): Promise<never> {
  for (let number = 0;; number++) {
    const row = { key: `${round}-${number}`, value: "x".repeat(number % 3000) };
    await db.transaction().execute((transaction) =>
      transaction.insertInto("meta").values(row).execute()
    );
    Deno.stdout.writeSync(new TextEncoder().encode(`${number}\n`));
  }
}

/** Reads, then writes what it read and one more: lost updates would show. */
async function count(): Promise<void> {
  for (let time = 0; time < Number(round); time++) {
    await db.transaction().execute(async (transaction) => {
      const { value } = await transaction.selectFrom("meta").select("value")
        .where("key", "=", "count").executeTakeFirstOrThrow();
      await transaction.updateTable("meta").set({ value: String(Number(value) + 1) })
        .where("key", "=", "count").execute();
    });
  }
}

await (how === "rows" ? rows() : count());
