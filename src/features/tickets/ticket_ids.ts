/**
 * Hands out numbers that no ticket ever had: a file in the git folder keeps the highest, and how far history
 * was searched. The file may be removed at any time; history tells it all once more.
 */
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { numberIn, type TicketFile, TICKETS } from "./ticket_places.ts";

interface NumbersUsed {
  readonly highest: number;
  readonly tips: readonly string[];
}

type NumberedCheckout = Pick<Checkout, "git" | "files" | "commits">;

const pathOf = ({ git }: NumberedCheckout) => `${git.commonDir}/svc-tickets.json`;

async function numbersKept(checkout: NumberedCheckout): Promise<NumbersUsed> {
  const { files } = checkout;
  const none = { highest: 0, tips: [] };
  const path = pathOf(checkout);
  if ((await files.stat(path))?.kind !== "file") return none;
  try {
    const text = await files.readText(path, { maxBytes: CONFIG_BYTES });
    const { highest, tips } = JSON.parse(text) as NumbersUsed;
    const whole = Number.isSafeInteger(highest) && highest >= 0 && highest < 1e9 &&
      tips.every((oid) => /^[0-9a-f]{40,64}$/.test(oid));
    return whole ? { highest, tips } : none;
  } catch {
    // svc did not write this file: the history is searched from its beginning.
    return none;
  }
}

export const idOf = (number: number) => `T-${String(number).padStart(4, "0")}`;

/** The caller holds the repo's lock. */
export async function highestEver(
  checkout: NumberedCheckout,
  found: readonly TicketFile[],
): Promise<NumbersUsed> {
  const before = await numbersKept(checkout);
  const { git, commits } = checkout;
  const { names, tips } = await commits.namesEverAdded(git, TICKETS, before.tips);
  let { highest } = before;
  for (const path of [...names, ...found.map(({ path }) => path)]) {
    highest = Math.max(highest, numberIn(path) ?? 0);
  }
  if (highest >= 999_999_000) {
    throw new Failure("conflict", `Cannot number a ticket: one is called T-${highest}`, {
      remedy: `Give that file below ${TICKETS} a smaller number`,
    });
  }
  return { highest, tips: [...tips] };
}

/** Called before the tickets are written: a number is spent even when that fails. */
export async function rememberIds(checkout: NumberedCheckout, used: NumbersUsed): Promise<void> {
  await checkout.files.writeAtomic(pathOf(checkout), `${JSON.stringify(used)}\n`);
}
