/** What the board takes from the files of a repo: manifest, tickets, checked-out branch; cached for a moment. */
import { Failure } from "svc/core/failure.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { listTickets, type TicketList } from "svc/features/tickets/ticket_list.ts";
import { branchFault, type RepoView, type RepoViews } from "svc/runtime/repo_view.ts";
import { newestChange } from "./newest_change.ts";
import { ReadCache } from "./read_cache.ts";
import { UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

/** The files of a repo are read again after 1 s at the earliest, and after ten times what reading them took. */
const VIEW_FRESH_MS = 1_000;
const VIEW_FRESH_SHARE = 10;

export interface BoardFiles extends TicketList {
  readonly view: RepoView;
  /** When the manifest was last written, epoch ms; undefined where there is none. */
  readonly manifestAt: number | undefined;
  /** Why tickets cannot be moved now, such as `"main" to be checked out: "fix" is`. */
  readonly fault: string | undefined;
  readonly unread: string | undefined;
  /** When reading began, epoch ms. */
  readonly readAt: number;
}

type RepoFilesPorts = Pick<ViewPorts, "clock" | "db" | "folder" | "git" | "log" | "readTree">;

const NO_TICKETS: TicketList = { tickets: [], broken: [], cycles: [] };

export class RepoFilesCache {
  readonly #ports: RepoFilesPorts;
  readonly #views: RepoViews;
  readonly #cache: ReadCache<BoardFiles>;

  constructor(ports: RepoFilesPorts, views: RepoViews) {
    this.#ports = ports;
    this.#views = views;
    const freshMs = (tookMs: number) => Math.max(VIEW_FRESH_MS, tookMs * VIEW_FRESH_SHARE);
    this.#cache = new ReadCache(ports.clock, freshMs);
  }

  /** Reads again after any stored change. Never throws because of the state of the repo. */
  async of(repo: RegisteredRepo): Promise<BoardFiles> {
    const mark = await newestChange(this.#ports.db);
    return await this.#cache.of(repo.id, mark, () => this.#look(repo));
  }

  async #look(repo: RegisteredRepo): Promise<BoardFiles> {
    const { folder: openFolder, git, readTree, clock, log } = this.#ports;
    const readAt = clock.now();
    const view = await this.#views.look(repo);
    const nothing = { view, readAt, manifestAt: undefined, fault: undefined };
    try {
      using folder = await openFolder(repo.path);
      const manifestAt = (await folder.stat(MANIFEST_PATH))?.mtimeMs;
      const opened = await git.open(repo.path);
      const fault = branchFault({ git: opened }, view);
      const checkout = {
        root: repo.path,
        git: opened,
        folder,
        readTree,
        signal: UNINTERRUPTED,
      };
      const list = await listTickets(checkout);
      return { view, readAt, manifestAt, fault, unread: undefined, ...list };
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal") {
        log.write("error", failure.message, { repo: repo.path, cause: thrown });
      }
      return { ...nothing, unread: failure.message, ...NO_TICKETS };
    }
  }
}
