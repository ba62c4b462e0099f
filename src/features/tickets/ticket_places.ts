/** Where tickets lie in a repo: files by state, found by their names alone. */
import { statesOf } from "svc/core/machine.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { ticketMachine, type TicketState } from "./ticket_machine.ts";

export const TICKETS = "docs/tickets";

/** A ticket grows by a line for each move; a larger file is no ticket. */
export const TICKET_BYTES = 1024 * 1024;

const STATES: readonly string[] = statesOf(ticketMachine);

export interface TicketFile {
  readonly path: string;
  readonly state: TicketState | undefined;
  readonly id: string | undefined;
}

/** `docs/tickets/<state>/T-0007-short-slug.md` */
export function ticketPath(state: TicketState, id: string, slug: string): string {
  return `${TICKETS}/${state}/${id}${slug === "" ? "" : `-${slug}`}.md`;
}

/** Commands name tickets by their number, so that "T-00010" would be found by none. */
const NAME = /^(T-(?:\d{4}|[1-9]\d{4,8}))(?:-[^/]*)?\.md$/;

/** What editors, mergers and patches keep beside a file that they changed. */
const KEPT_BESIDE = /(?:~|\.(?:orig|rej|bak|swp))$/i;

/** Undefined for other files, such as a README. */
function foundAt(path: string): TicketFile | undefined {
  const parts = path.slice(TICKETS.length + 1).split("/");
  const name = parts.pop()!;
  if (KEPT_BESIDE.test(name)) return undefined;
  const id = NAME.exec(name)?.[1];
  const folder = parts.join("/");
  const state = STATES.includes(folder) ? folder as TicketState : undefined;
  const looks = /^T-\d/i.test(name) ||
    (state !== undefined && /^(?!readme\.|\.).*\.md$/i.test(name));
  return looks ? { path, state, id } : undefined;
}

/** @throws Failure for a link or a file where a folder of tickets is expected: they are not none */
export async function ticketPlaces(
  { folder, git }: {
    readonly folder: Pick<Folder, "list" | "stat">;
    readonly git: Pick<GitRepo, "listFiles">;
  },
): Promise<TicketFile[]> {
  if (await folder.stat(TICKETS) === undefined) return [];
  const found: TicketFile[] = [];
  const keep = (path: string) => found.push(...[foundAt(path)].filter((one) => one !== undefined));
  for (const { name, kind } of (await folder.list(TICKETS)).entries) {
    if (kind !== "folder" && !STATES.includes(name)) {
      keep(`${TICKETS}/${name}`);
      continue;
    }
    const inside = await folder.list(`${TICKETS}/${name}`);
    // A listing of a folder is bounded; git's bound is far higher.
    if (inside.more > 0) return await placesByGit(git);
    for (const entry of inside.entries) {
      if (entry.kind !== "folder") keep(`${TICKETS}/${name}/${entry.name}`);
    }
  }
  return found;
}

async function placesByGit(git: Pick<GitRepo, "listFiles">): Promise<TicketFile[]> {
  const { paths } = await git.listFiles();
  return paths.filter((path) => path.startsWith(`${TICKETS}/`) && path.split("/").length <= 4)
    .map(foundAt).filter((one) => one !== undefined);
}

/** 7 for "docs/tickets/done/T-0007-tidy.md". */
export function numberIn(path: string): number | undefined {
  const digits = /(?:^|\/)T-(\d{1,9})(?:\D[^/]*)?$/.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
