/** Has Workers without any permission look at files while the caller reads and looks at others itself. */
import type { BareWorker, BareWorkers } from "./bare_worker.ts";
import type { FilePiece, FileTask } from "./file_pieces.ts";

/** Some 10 ms of work. */
const PIECE_BYTES = 1024 * 1024;
const PIECE_FILES = 1000;

/** A Worker has this many pieces at most that it has not looked at. */
const AHEAD = 2;

/** Pieces of one Worker whose answers this thread has not heard; it keeps their bytes until then. */
const UNHEARD = 12;

/** Fewer files say nothing of how long the others are. */
const SAMPLE_FILES = 32;

/** Longer answers are not read; the longest of real files are twice as long as the file. */
const ANSWER_CHARS = 64 * 1024 * 1024;

/** A Worker that is silent for so long hangs. */
const ANSWER_MS = 60_000;

export interface FileJob<T extends object> {
  /** The first message to each Worker. */
  readonly settings: unknown;
  /** What this thread does; also for each file that a Worker has no proper answer for. */
  readonly look: (path: string, bytes: Uint8Array) => T;
  /** Undefined for what is no proper answer. @param size of the file */
  readonly read: (answer: unknown, size: number) => T | undefined;
  /** Called for one file after the other, in the order in which they came. */
  readonly take: (path: string, outcome: T) => void;
}

interface Entry<T> {
  readonly path: string;
  outcome?: T;
}

interface OpenPiece<T> {
  readonly shared: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  readonly entries: Entry<T>[];
  readonly ends: number[];
  readonly helper: Helper<T>;
  used: number;
}

interface Helper<T> {
  readonly worker: BareWorker;
  readonly done: Int32Array;
  /** In the order in which they were posted, which is that of the answers. */
  readonly waiting: OpenPiece<T>[];
  /** Bytes of pieces that are done, for its next ones. */
  readonly free: SharedArrayBuffer[];
  posted: number;
  lost: boolean;
}

export class FileWorkers<T extends object> implements Disposable {
  readonly #workers: BareWorkers | undefined;
  readonly #job: FileJob<T>;
  readonly #helpers: Helper<T>[] = [];
  #queue: Entry<T>[] = [];
  #taken = 0;
  #open: OpenPiece<T> | undefined;
  #bytes = 0;
  #files = 0;
  #expected = 0;
  #started = 0;
  #heard = Promise.withResolvers<void>();
  #failed: { readonly thrown: unknown } | undefined;

  /** @param workers without them, this thread does everything */
  constructor(job: FileJob<T>, workers: BareWorkers | undefined) {
    this.#job = job;
    this.#workers = workers;
  }

  /** @param files how many will come, so that Workers can start before they have come */
  expect(files: number): void {
    this.#expected = files;
  }

  /** The bytes may be overwritten after the call. */
  look(path: string, bytes: Uint8Array): void {
    this.#files++;
    this.#bytes += bytes.length;
    this.#startMore();
    const piece = this.#pieceFor(bytes.length);
    if (piece === undefined) return this.tell(path, this.#job.look(path, bytes));
    const entry: Entry<T> = { path };
    piece.bytes.set(bytes, piece.used);
    piece.used += bytes.length;
    piece.entries.push(entry);
    piece.ends.push(piece.used);
    this.#queue.push(entry);
    if (piece.used >= PIECE_BYTES || piece.entries.length >= PIECE_FILES) this.#post(piece);
  }

  /** For a file whose outcome is known. */
  tell(path: string, outcome: T): void {
    if (this.#queue.length === this.#taken) this.#job.take(path, outcome);
    else this.#queue.push({ path, outcome });
  }

  /** Resolves once every outcome is taken. @throws what `look` and `take` of the job throw */
  async end(): Promise<void> {
    const last = this.#open;
    this.#open = undefined;
    if (last !== undefined) this.#settle(last, undefined);
    while (this.#helpers.some(({ waiting }) => waiting.length > 0)) {
      if (!await this.#hearsOne()) this.#helpers.forEach((helper) => this.#lose(helper));
    }
    if (this.#failed !== undefined) throw this.#failed.thrown;
  }

  [Symbol.dispose](): void {
    for (const { worker } of this.#helpers) worker.end();
  }

  async #hearsOne(): Promise<boolean> {
    const over = new AbortController();
    const late = this.#workers!.clock.sleep(ANSWER_MS, over.signal).then(() => false);
    const heard = await Promise.race([this.#heard.promise.then(() => true), late]);
    over.abort();
    this.#heard = Promise.withResolvers();
    return heard;
  }

  #startMore(): void {
    const workers = this.#workers;
    if (workers === undefined || this.#started === workers.most) return;
    if (this.#expectedBytes() < workers.startBytes * (this.#started + 1)) return;
    this.#started++;
    const shared = new SharedArrayBuffer(4);
    const worker = workers.start((message) => this.#hear(helper, message));
    const done = new Int32Array(shared);
    const helper: Helper<T> = { worker, done, waiting: [], free: [], posted: 0, lost: false };
    const task: FileTask<unknown> = { settings: this.#job.settings, done: shared };
    worker.post(task);
    this.#helpers.push(helper);
  }

  #expectedBytes(): number {
    if (this.#files < SAMPLE_FILES || this.#expected < this.#files) return this.#bytes;
    return this.#bytes / this.#files * this.#expected;
  }

  /** Undefined where every Worker has enough to do. */
  #pieceFor(size: number): OpenPiece<T> | undefined {
    const open = this.#open;
    if (open !== undefined) {
      if (open.used + size <= open.bytes.length) return open;
      this.#post(open);
    }
    const helper = this.#helpers.find(({ lost, posted, done, waiting }) =>
      !lost && posted - Atomics.load(done, 0) < AHEAD && waiting.length < UNHEARD
    );
    if (helper === undefined) return undefined;
    const shared = size > PIECE_BYTES
      ? new SharedArrayBuffer(size)
      : helper.free.pop() ?? new SharedArrayBuffer(PIECE_BYTES);
    const bytes = new Uint8Array(shared);
    this.#open = { shared, bytes, entries: [], ends: [], helper, used: 0 };
    return this.#open;
  }

  #post(piece: OpenPiece<T>): void {
    this.#open = undefined;
    const { helper, shared, entries, ends } = piece;
    if (helper.lost) return this.#settle(piece, undefined);
    helper.posted++;
    helper.waiting.push(piece);
    const message: FilePiece = { shared, files: entries.map(({ path }, at) => [path, ends[at]!]) };
    helper.worker.post(message);
  }

  #hear(helper: Helper<T>, message: unknown): void {
    if (helper.lost) return;
    const piece = helper.waiting.shift();
    if (piece === undefined || message === undefined) {
      if (piece !== undefined) helper.waiting.unshift(piece);
      this.#lose(helper);
    } else this.#settle(piece, message);
    this.#heard.resolve();
  }

  #lose(helper: Helper<T>): void {
    helper.lost = true;
    helper.worker.end();
    for (const piece of helper.waiting.splice(0)) this.#settle(piece, undefined);
  }

  #settle(piece: OpenPiece<T>, message: unknown): void {
    try {
      const answers = answersIn(message, piece.entries.length);
      let own: Uint8Array | undefined;
      let start = 0;
      for (const [at, entry] of piece.entries.entries()) {
        const end = piece.ends[at]!;
        entry.outcome = this.#job.read(answers[at], end - start) ??
          this.#job.look(entry.path, (own ??= piece.bytes.slice()).subarray(start, end));
        start = end;
      }
      this.#takeReady();
    } catch (thrown) {
      this.#failed ??= { thrown };
    }
    if (piece.shared.byteLength === PIECE_BYTES) piece.helper.free.push(piece.shared);
  }

  #takeReady(): void {
    for (; this.#taken < this.#queue.length; this.#taken++) {
      const { path, outcome } = this.#queue[this.#taken]!;
      if (outcome === undefined) break;
      this.#job.take(path, outcome);
    }
    this.#queue = this.#queue.slice(this.#taken);
    this.#taken = 0;
  }
}

/** Empty for what is no list of that length. */
function answersIn(message: unknown, count: number): readonly unknown[] {
  if (typeof message !== "string" || message.length > ANSWER_CHARS) return [];
  try {
    const answers: unknown = JSON.parse(message);
    return Array.isArray(answers) && answers.length === count ? answers : [];
  } catch {
    return [];
  }
}
