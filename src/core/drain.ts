/** Works through what a repo is owed; each round may be repeated, and may meet another process at work. */
import { Failure } from "./failure.ts";

export interface Drained<Id = string | number> {
  readonly done: number;
  readonly waiting: readonly { readonly id: Id; readonly why: string }[];
}

interface Drain<Item> {
  readonly signal: AbortSignal;
  /** @returns why it waits; undefined when it is settled */
  settle(item: Item): Promise<string | undefined>;
  waits(item: Item, why: string): Promise<unknown>;
  /** Told of a fault of svc itself; the item waits after it. */
  faulty(item: Item, thrown: unknown): void;
}

/** The fault itself is in the log only, since its words may name paths and rows. */
const FAULT = "a fault of svc to be over; its log tells of it";

/** In the order given; one that must wait does not hold up the others. */
export async function drain<
  Item extends { readonly id: string | number; readonly waits_for: string | null },
>(
  items: readonly Item[],
  { signal, settle, waits, faulty }: Drain<Item>,
): Promise<Drained<Item["id"]>> {
  let done = 0;
  const waiting: { id: Item["id"]; why: string }[] = [];
  for (const item of items) {
    signal.throwIfAborted();
    const why = await settle(item).catch((thrown) => {
      signal.throwIfAborted();
      const { code, message, detail } = Failure.from(thrown);
      if (code === "internal") {
        faulty(item, thrown);
        return FAULT;
      }
      return detail.remedy === undefined ? message : `${message}; ${detail.remedy}`;
    });
    if (why === undefined) {
      done++;
      continue;
    }
    waiting.push({ id: item.id, why });
    if (why !== item.waits_for) await waits(item, why);
  }
  return { done, waiting };
}
