/** Sends statements: those that repeat are prepared. */
import type { Clock } from "svc/platform/clock.ts";
import type { AnswerTime, Connection, ServerAnswer } from "./pool.ts";

/** How often a text is sent before it is prepared, and how many are: each takes some 50 KB of a connection. */
const PREPARED_FROM = 3;
const PREPARED_MOST = 200;

/** A plan that was made for a small table is not kept while it grows, whether statistics come or not. */
const PLANS_KEPT_MS = 60_000;

export class Statements {
  readonly #sent = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #planned = new WeakMap<Connection, number>();
  #generation = 0;

  constructor(readonly clock: Pick<Clock, "monotonic">) {}

  /** @throws what the driver throws */
  async send(
    client: Connection,
    { sql, values, inTransaction, timed }: {
      readonly sql: string;
      readonly values: readonly unknown[];
      readonly inTransaction: boolean;
      readonly timed: AnswerTime;
    },
  ): Promise<ServerAnswer> {
    if (!inTransaction) await this.#plan(client, timed);
    // A failure of it would end a transaction, and columns may be added while svc runs.
    const name = inTransaction && sql.includes("*") ? undefined : this.#nameOf(sql);
    return await client.query({
      ...{ text: sql, values: [...values] },
      ...timed,
      ...(name && { name }),
    });
  }

  /** After a statement was refused since its table has changed: all are prepared anew. */
  forget(): void {
    this.#generation++;
    this.#names.clear();
  }

  async #plan(client: Connection, timed: AnswerTime): Promise<void> {
    const now = this.clock.monotonic();
    const at = this.#planned.get(client);
    if (at === undefined || now - at >= PLANS_KEPT_MS) this.#planned.set(client, now);
    if (at !== undefined && now - at >= PLANS_KEPT_MS) {
      await client.query({ text: "DISCARD PLANS", ...timed });
    }
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= PREPARED_MOST) return known;
    const sent = (this.#sent.get(sql) ?? 0) + 1;
    // Lists of values make texts without end.
    if (this.#sent.size > 10 * PREPARED_MOST) this.#sent.clear();
    this.#sent.set(sql, sent);
    if (sent < PREPARED_FROM) return undefined;
    this.#sent.delete(sql);
    const name = `svc_${this.#generation}_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}
