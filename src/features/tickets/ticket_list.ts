/**
 * Reads all tickets of a repo, or one. A file that cannot be read as a ticket is reported, never left out
 * silently.
 */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { nearest } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { FileContent, Folder } from "svc/platform/files/folder.ts";
import type { Unread } from "svc/platform/files/tree_reader.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import { cycles } from "./dependencies.ts";
import { olderCopies } from "./older_copies.ts";
import { orTicketFault, TicketFault } from "./ticket_fault.ts";
import { readTicket } from "./ticket_file.ts";
import { TicketHold } from "./ticket_hold.ts";
import { ticketMachine, type TicketState } from "./ticket_machine.ts";
import { numberIn, TICKET_BYTES, type TicketFile, ticketPlaces, TICKETS } from "./ticket_places.ts";
import type { TicketFields } from "./ticket_shape.ts";

/** Bytes read per file when tickets are listed; a longer file is read alone. */
const TICKET_HEAD_BYTES = 64 * 1024;

export interface Ticket extends TicketFields {
  readonly state: TicketState;
  /** Below the repo's root. */
  readonly path: string;
}

export interface BrokenTicket {
  readonly path: string;
  readonly id?: string;
  readonly reason: string;
  readonly remedy: string;
}

export interface TicketList {
  readonly tickets: readonly Ticket[];
  readonly broken: readonly BrokenTicket[];
  readonly cycles: readonly (readonly string[])[];
}

const environment = (message: string, remedy: string) => new TicketFault(message, remedy);

const UNREAD = {
  symlink: "it is a symbolic link",
  submodule: "it is a folder",
  unreadable: "it cannot be opened as a file",
};

/** What is wrong with the path alone. `twins` are other files with the same id. */
function placeFault(
  { path, state, id }: TicketFile,
  twins: readonly string[],
): Failure | undefined {
  const cannot = `Cannot read ${quoted(path)}`;
  if (id === undefined) {
    return environment(`${cannot}: its name does not start with an id`, "Name it T-0007-slug.md");
  }
  if (state === undefined) {
    const states = Object.keys(ticketMachine.states).join(", ");
    return environment(
      `${cannot}: its folder is no state`,
      `Move it to a folder of ${TICKETS}: ${states}`,
    );
  }
  if (twins.length === 0) return undefined;
  return environment(
    `${cannot}: ${twins.map(quoted).join(", ")} has the same id`,
    "Keep one of them, or give one a number that no ticket had",
  );
}

function ticketOf({ path, state, id }: TicketFile, bytes: Uint8Array): Ticket {
  const fields = readTicket(bytes, path);
  if (fields.id !== id) {
    throw environment(
      `Cannot read ${quoted(path)}: its id is ${quoted(fields.id)}, and its name says ${id}`,
      `Edit "id" in ${path}`,
    );
  }
  if (state === "blocked" && fields.unblock === undefined) {
    throw environment(
      `Cannot read ${quoted(path)}: it is blocked, and "unblock" is missing`,
      `Add to ${path} a key "unblock" with "owner" and "action"`,
    );
  }
  return { ...fields, state: state!, path };
}

function broken({ path, id }: TicketFile, { message, remedy }: Failure): BrokenTicket {
  return { path, ...(id !== undefined && { id }), reason: message, remedy };
}

function byId(found: readonly TicketFile[]): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const { id, path } of found) {
    if (id !== undefined) paths.set(id, [...paths.get(id) ?? [], path]);
  }
  return paths;
}

export async function listTickets(checkout: TicketReading): Promise<TicketList> {
  return (await readAll(checkout)).list;
}

function claimIn(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder().decode(bytes.subarray(0, TICKET_HEAD_BYTES));
  return /^fingerprint:\s*["']?([^\s"']+)/m.exec(head)?.[1];
}

export interface AllTickets {
  readonly list: TicketList;
  readonly found: readonly TicketFile[];
  /** Broken files that are not done, by the fingerprint they claim. */
  readonly claims: ReadonlyMap<string, BrokenTicket>;
}

export type TicketReading = Pick<Checkout, "root" | "folder" | "readTree" | "signal"> & {
  readonly git: Pick<Checkout["git"], "listFiles">;
};

/** `claim` is the fingerprint that a broken file names. */
export type TicketFileRead =
  | { readonly ticket: Ticket; readonly fault?: undefined; readonly claim?: undefined }
  | { readonly ticket?: undefined; readonly fault: Failure; readonly claim: string | undefined };

/** What one file says, whatever other files there are. */
function readFile(place: TicketFile, bytes: Uint8Array): TicketFileRead {
  const fault = placeFault(place, []);
  if (fault !== undefined) return { fault, claim: claimIn(bytes) };
  try {
    return { ticket: ticketOf(place, bytes) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    return { fault: thrown, claim: claimIn(bytes) };
  }
}

function unreadFile({ path }: TicketFile, content: Exclude<Unread, "missing" | "too_large">) {
  const message = `Cannot read ${quoted(path)}: ${UNREAD[content]}`;
  return { fault: environment(message, `ls -l ${shellWord(path)}`), claim: undefined };
}

/** Undefined for a file that was moved since it was found. */
async function bytesIn(folder: Pick<Folder, "read">, path: string) {
  try {
    return (await folder.read(path, { maxBytes: TICKET_BYTES })).bytes;
  } catch (thrown) {
    if (Failure.from(thrown).code !== "not_found") throw thrown;
    return undefined;
  }
}

/** @param hold files that it holds and that did not change are not read again; it takes the others */
export async function readAll(
  checkout: TicketReading,
  hold: TicketHold<TicketFileRead> = new TicketHold(),
): Promise<AllTickets> {
  const { root, folder, readTree, signal } = checkout;
  const found = await ticketPlaces(checkout);
  const at = new Map(found.map((place) => [place.path, place]));
  hold.forgetAllBut(at);
  const long: [TicketFile, string][] = [];
  const take = (place: TicketFile, bytes: Uint8Array, stamp: string) => {
    const read = readFile(place, bytes);
    hold.keep(place.path, read, { stamp, bytes: read.ticket && bytes });
  };
  const plan = { root, paths: [...at.keys()], maxBytes: TICKET_HEAD_BYTES, signal };
  await readTree({ ...plan, stamps: hold.stamps() }, (path, content, stamp) => {
    const place = at.get(path)!;
    if (content === "too_large") long.push([place, stamp]);
    else if (typeof content !== "string") take(place, content, stamp);
    else if (content === "missing") hold.forget(path);
    else hold.keep(path, unreadFile(place, content), { stamp });
  });
  for (const [place, stamp] of long) {
    const bytes = await bytesIn(folder, place.path);
    if (bytes === undefined) hold.forget(place.path);
    else take(place, bytes, stamp);
  }
  return { found, ...sorted(found, hold, await olderCopies(folder, found)) };
}

const olderCopy = (path: string, newest: string) =>
  environment(
    `Cannot read ${quoted(path)}: it is an older copy of ${quoted(newest)}`,
    `A pull may have brought it back; remove it: git rm ${shellWord(path)}`,
  );

function sorted(
  found: readonly TicketFile[],
  hold: TicketHold<TicketFileRead>,
  older: ReadonlyMap<string, string>,
): Omit<AllTickets, "found"> {
  const ids = byId(found.filter(({ path }) => !older.has(path)));
  const [tickets, faults]: [Ticket[], BrokenTicket[]] = [[], []];
  const claims = new Map<string, BrokenTicket>();
  for (const place of found) {
    const read = hold.read(place.path);
    if (read === undefined) continue; // it is gone
    const newest = older.get(place.path);
    if (newest !== undefined) {
      faults.push(broken(place, olderCopy(place.path, newest)));
      continue;
    }
    const twins = (ids.get(place.id ?? "") ?? []).filter((path) => path !== place.path);
    const { ticket, claim = ticket?.fingerprint } = read;
    const fault = read.fault ?? placeFault(place, twins);
    if (fault === undefined) {
      tickets.push(ticket!);
      continue;
    }
    faults.push(broken(place, fault));
    if (claim !== undefined && place.state !== "done") claims.set(claim, faults.at(-1)!);
  }
  tickets.sort((a, b) => numberIn(a.path)! - numberIn(b.path)!);
  faults.sort((a, b) => a.path < b.path ? -1 : 1);
  return { claims, list: { tickets, broken: faults, cycles: cycles(tickets) } };
}

export interface OpenTicket {
  readonly ticket: Ticket;
  readonly content: FileContent;
}

/** "7", "T-7" and "t-0007" name T-0007. */
export function ticketId(named: string): string {
  const digits = /^(?:t-)?0*(\d{1,9})$/i.exec(named.trim())?.[1];
  return digits === undefined ? named : `T-${digits.padStart(4, "0")}`;
}

/** @throws Failure `not_found` with the nearest ids; TicketFault when the file is broken */
export async function openTicket(
  checkout: Pick<TicketReading, "folder" | "git">,
  id: string,
  files?: readonly TicketFile[],
): Promise<OpenTicket> {
  const found = files ?? await ticketPlaces(checkout);
  const same = found.filter((place) => place.id === id);
  const older = await olderCopies(checkout.folder, same);
  const [place, ...twins] = same.filter(({ path }) => !older.has(path));
  if (place === undefined) {
    const near = nearest(id, new Set(found.flatMap(({ id }) => id ?? []))).slice(0, 3);
    throw new Failure("not_found", `Cannot find ticket ${quoted(id)}`, {
      remedy: near.length === 0 ? "svc tickets list" : `Did you mean ${near.join(", ")}?`,
    });
  }
  const fault = placeFault(place, twins.map(({ path }) => path));
  if (fault !== undefined) throw fault;
  const content = await checkout.folder.read(place.path, { maxBytes: TICKET_BYTES });
  if (content.truncated) {
    throw environment(
      `Cannot read ${quoted(place.path)}: it has more than ${TICKET_BYTES} bytes`,
      `Shorten ${place.path}`,
    );
  }
  return { ticket: orTicketFault(() => ticketOf(place, content.bytes)), content };
}
