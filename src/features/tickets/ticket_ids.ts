/**
 * Hands out ticket numbers that no ticket ever had: the highest one known to this clone is kept in
 * the git folder, with the tips of the history that was searched for it. Only what is new since is
 * searched again. The file may be removed at any time; the history tells it all once more.
 */
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { type Found, numberIn, TICKETS } from "./ticket_places.ts";

interface Known {
  readonly highest: number;
  readonly tips: readonly string[];
}

export interface IdPorts {
  readonly repo: GitRepo;
  readonly files: Pick<Files, "readText" | "stat" | "writeAtomic">;
  readonly commits: Pick<Commits, "namesEverAdded">;
}

const pathOf = ({ commonDir }: GitRepo) => `${commonDir}/svc-tickets.json`;

async function known({ files, repo }: IdPorts): Promise<Known> {
  const none = { highest: 0, tips: [] };
  if ((await files.stat(pathOf(repo)))?.kind !== "file") return none;
  try {
    const text = await files.readText(pathOf(repo), { maxBytes: CONFIG_BYTES });
    const { highest, tips } = JSON.parse(text) as Known;
    const whole = Number.isSafeInteger(highest) && highest >= 0 && highest < 1e9 &&
      tips.every((oid) => /^[0-9a-f]{40,64}$/.test(oid));
    return whole ? { highest, tips } : none;
  } catch {
    // Not what svc wrote: the history is searched from its beginning.
    return none;
  }
}

export const idOf = (number: number) => `T-${String(number).padStart(4, "0")}`;

/** The highest number that was ever given, and what to remember it by. The repo's lock is held. */
export async function highestEver(ports: IdPorts, found: readonly Found[]): Promise<Known> {
  const before = await known(ports);
  const { names, tips } = await ports.commits.namesEverAdded(ports.repo, TICKETS, before.tips);
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

/** Before the tickets are written: a number is spent even when that fails. */
export async function rememberIds({ files, repo }: IdPorts, known: Known): Promise<void> {
  await files.writeAtomic(pathOf(repo), `${JSON.stringify(known)}\n`);
}
