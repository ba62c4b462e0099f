/** What the board takes from the files of a repo: manifest, tickets, checked-out branch; cached for a moment. */
import { Failure } from "svc/core/failure.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { ManifestReading, RepoOpener } from "svc/features/repos/repo.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { TextRoom, TicketHold } from "svc/features/tickets/ticket_hold.ts";
import { readAll, type TicketFileRead, type TicketList } from "svc/features/tickets/ticket_list.ts";
import { activeIn, type LostWork, lostWork } from "svc/runtime/job/lost_work.ts";
import { NewestChange } from "./newest_change.ts";
import { ReadCache } from "./read_cache.ts";
import { UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

/** The files of a repo are read again after 1 s at the earliest, and after ten times what reading them took. */
const VIEW_FRESH_MS = 1_000;
const VIEW_FRESH_SHARE = 10;

/** Characters of tickets' texts that are held for searches; a further ticket is read in each search. */
const TICKET_TEXT_CHARS = 64 * 1024 * 1024;

export interface BoardFiles extends TicketList, ManifestReading {
  readonly texts: Pick<TicketHold<unknown>, "foldedText" | "text">;
  readonly branch: string;
  /** When the manifest was last written, epoch ms; undefined where there is none. */
  readonly manifestAt: number | undefined;
  /** Why tickets cannot be moved now, such as `"main" to be checked out: "fix" is`. */
  readonly fault: string | undefined;
  readonly unread: string | undefined;
  /** Branches of active tickets that are gone, with work that is nowhere else. */
  readonly lost: readonly LostWork[];
  readonly readAt: number;
}

type RepoFilesPorts = Pick<ViewPorts, "clock" | "db" | "log" | "redact" | "worktrees">;

const NO_TICKETS: TicketList = { tickets: [], broken: [], cycles: [] };

export class RepoFilesCache {
  readonly #ports: RepoFilesPorts;
  readonly #opener: RepoOpener;
  readonly #cache: ReadCache<BoardFiles>;
  /** For callers that cache other things that were read from a repo. */
  readonly changes: NewestChange;
  readonly #room = new TextRoom(TICKET_TEXT_CHARS);
  readonly #holds = new Map<string, TicketHold<TicketFileRead>>();

  constructor(ports: RepoFilesPorts, opener: RepoOpener) {
    this.#ports = ports;
    this.#opener = opener;
    this.changes = new NewestChange(ports.db);
    const freshMs = (tookMs: number) => Math.max(VIEW_FRESH_MS, tookMs * VIEW_FRESH_SHARE);
    this.#cache = new ReadCache(ports.clock, freshMs);
  }

  /** Reads again after any stored change of the repo. Never throws because of the state of the repo. */
  async of(repo: RegisteredRepo): Promise<BoardFiles> {
    const mark = await this.changes.of(repo.id);
    return await this.#cache.of(repo.id, mark, () => this.#look(repo));
  }

  /** Repos that were let go leave nothing here, and the room of their texts is free again. */
  keepOnly(ids: ReadonlySet<string>): void {
    this.#cache.keepOnly((id) => ids.has(id));
    for (const [id, hold] of this.#holds) {
      if (ids.has(id) || this.#cache.has(id)) continue;
      hold.forgetAllBut(new Map());
      this.#holds.delete(id);
    }
  }

  #holdOf({ id }: RegisteredRepo): TicketHold<TicketFileRead> {
    const known = this.#holds.get(id);
    if (known !== undefined) return known;
    const hold = new TicketHold<TicketFileRead>({ room: this.#room, shown: this.#ports.redact });
    this.#holds.set(id, hold);
    return hold;
  }

  async #look(row: RegisteredRepo): Promise<BoardFiles> {
    const { clock, log } = this.#ports;
    const { branch } = row;
    const readAt = clock.now();
    const { manifest, problem } = await this.#opener.manifestAt(row.path);
    const hold = this.#holdOf(row);
    const told = { branch, manifest, problem, readAt, texts: hold };
    try {
      using repo = await this.#opener.open(row, { signal: UNINTERRUPTED });
      const manifestAt = (await repo.folder.stat(MANIFEST_PATH))?.mtimeMs;
      const fault = (await repo.branchFault())?.why;
      const { list } = await readAll(repo, hold);
      // Branches of a team may be on other machines; and while another branch is checked out, its files say
      // nothing about these tickets.
      const lost = repo.shared === undefined && fault === undefined
        ? await lostWork(this.#ports, repo, activeIn(list))
        : [];
      return { ...told, manifestAt, fault, unread: undefined, lost, ...list };
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal") {
        log.write("error", failure.message, { repo: row.path, cause: thrown });
      }
      const unread = failure.message;
      return { ...told, manifestAt: undefined, fault: undefined, unread, lost: [], ...NO_TICKETS };
    }
  }
}
