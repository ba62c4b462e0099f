/**
 * An index of where each step of a trace is in its file. It is built once and extended as the file grows, so
 * that any step can be read alone.
 */
import type { FileFacts } from "svc/platform/files/disk.ts";
import type { Files, ReadingFile } from "svc/platform/files/files.ts";

/** Most bytes of a trace that are in memory while it is looked through. */
export const TRACE_PIECE_BYTES = 1024 * 1024;

/** A longer trace is listed up to here: each step costs about 100 bytes of memory. */
export const TRACE_STEPS = 100_000;

/** Traces whose index is kept. */
const INDEXES_KEPT = 4;

/** Holds `at`, `kind` and `turn`, with which the writer begins each line. */
const HEAD_BYTES = 160;
const HEAD = /^\{"at":"[^"]{1,40}","kind":"(\w{1,40})"(?:,"turn":(\d{1,9}))?/;

const NEWLINE = 10;
const CLOSING_BRACE = 125;

/** Kinds of lines that a person reads as a step of the run; `turn` joins the `reply` before it. */
export const STEP_KINDS = [
  ...["started", "resumed", "reply", "note", "overflow", "summary", "compacted"] as const,
  ...["grace_fault", "proof", "ended"] as const,
] as const;
export type StepKind = typeof STEP_KINDS[number];

/** Bytes of the file, without the line's end. */
export interface TraceLinePlace {
  readonly from: number;
  readonly bytes: number;
}

export interface TraceStepPlace extends TraceLinePlace {
  readonly kind: StepKind;
  /** Only replies have one. */
  readonly turn?: number;
  /** The line with the results of a reply's calls, once there is one. */
  results?: TraceLinePlace;
}

export interface TraceOutline {
  readonly steps: readonly TraceStepPlace[];
  /** Newest line that says what the job is; undefined before its first. */
  readonly job: TraceLinePlace | undefined;
  /** Size of the file. */
  readonly bytes: number;
  /** Lines that a crash cut short. */
  readonly broken: number;
  /** Bytes after the last whole line: a line that is being written, or was never finished. */
  readonly unfinished: number;
  /** Steps beyond `TRACE_STEPS`. */
  readonly more: number;
}

interface LineBegun {
  readonly from: number;
  head: Uint8Array;
}

const decoder = new TextDecoder();

class TraceIndex {
  readonly steps: TraceStepPlace[] = [];
  job: TraceLinePlace | undefined;
  broken = 0;
  more = 0;
  /** Where the first line begins that is not known to be whole. */
  end = 0;
  #reply: TraceStepPlace | undefined;
  readonly #kinds: ReadonlySet<string> = new Set(STEP_KINDS);

  constructor(readonly file: Pick<FileFacts, "device" | "inode">) {}

  /** The file was replaced or has become shorter, so the index is no longer valid. */
  isOf({ device, inode, size }: FileFacts): boolean {
    return device === this.file.device && inode === this.file.inode && size >= this.end;
  }

  async grow(file: ReadingFile, size: number): Promise<void> {
    let line: LineBegun = { from: this.end, head: new Uint8Array() };
    let last = 0;
    for (let at = this.end; at < size;) {
      const piece = await file.read(at, Math.min(TRACE_PIECE_BYTES, size - at));
      if (piece.length === 0) return;
      for (let from = 0; from < piece.length;) {
        const found = piece.indexOf(NEWLINE, from);
        const to = found === -1 ? piece.length : found;
        const wanted = HEAD_BYTES - line.head.length;
        if (wanted > 0) {
          line.head = joined(line.head, piece.subarray(from, Math.min(to, from + wanted)));
        }
        if (to > from) last = piece[to - 1]!;
        if (found === -1) break;
        this.#take(line, at + found - line.from, last);
        from = found + 1;
        line = { from: at + from, head: new Uint8Array() };
        this.end = line.from;
      }
      at += piece.length;
    }
  }

  #take({ from, head }: LineBegun, bytes: number, last: number): void {
    if (bytes === 0) return; // it ends the half line of a run that was killed
    const [, kind = "", turn] = HEAD.exec(decoder.decode(head)) ?? [];
    if (kind === "" || last !== CLOSING_BRACE) {
      this.broken++;
      return;
    }
    const place = { from, bytes };
    if (kind === "job") this.job = place;
    else if (kind === "turn") this.#answered(place, Number(turn));
    else if (this.#kinds.has(kind)) {
      const step = { ...place, kind: kind as StepKind, ...(turn && { turn: Number(turn) }) };
      if (kind === "reply") this.#reply = step;
      if (this.steps.length < TRACE_STEPS) this.steps.push(step);
      else this.more++;
    }
  }

  /** A resumed run answers the calls of the run that was killed: such results belong to no reply here. */
  #answered(place: TraceLinePlace, turn: number): void {
    if (this.#reply?.turn === turn) this.#reply.results = place;
    this.#reply = undefined;
  }
}

/** A copy: what was read is let go. */
function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

export interface OpenTrace extends TraceOutline {
  /** @throws Failure that names the path */
  text(place: TraceLinePlace): Promise<string>;
}

/** Traces that were looked at last. Many may ask at once: each file is looked through by one at a time. */
export class TraceIndexes {
  readonly #known = new Map<string, TraceIndex>();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(readonly files: Pick<Files, "openRead">) {}

  /** The trace as it is now. @throws Failure that names the path, where there is none */
  open<T>(path: string, use: (trace: OpenTrace) => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#open(path, use));
    this.#turn = turn.catch(() => {}); // its caller sees the error
    return turn;
  }

  async #open<T>(path: string, use: (trace: OpenTrace) => Promise<T>): Promise<T> {
    using file = await this.files.openRead(path);
    const facts = await file.facts();
    const known = this.#known.get(path);
    const index = known?.isOf(facts) ? known : new TraceIndex(facts);
    this.#known.delete(path);
    this.#known.set(path, index);
    const [oldest] = this.#known.keys();
    if (this.#known.size > INDEXES_KEPT) this.#known.delete(oldest!);
    await index.grow(file, facts.size);
    const { steps, job, broken, more, end } = index;
    return await use({
      ...{ steps, job, broken, more, bytes: facts.size, unfinished: facts.size - end },
      text: async ({ from, bytes }) => decoder.decode(await file.read(from, bytes)),
    });
  }
}
