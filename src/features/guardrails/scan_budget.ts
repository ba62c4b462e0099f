/** The processor time that a scan may spend on one file: it grows with the file, for each rule and for all. */

/** Ms for one rule in a small file. */
export const SECRET_RULE_MS = 50;

/** Twice what the slowest rule takes on lines made to slow it down (bench/secret_hostile.ts). */
const RULE_MS_PER_MB = 1_000;

/** Ms for all rules in a small file. */
const FILE_MS = 250;

/** Ordinary data takes 100 to 250 ms a megabyte with all rules. */
const FILE_MS_PER_MB = 2_500;

/** Tries of one rule between two clock readings, some 10 us of work each. */
export const SECRET_TRIES_PER_CLOCK = 64;

/** Most ms that count between two clock readings: another thread of this process may work as well. */
const STRETCH_MS = 10;

export interface BudgetOptions {
  /** `Clock.processor`, in ms. */
  readonly now?: () => number;
  /** Ms for one rule in place of its share by size. */
  readonly ruleMs?: number;
}

/** One for each file. Small files are done before the clock is read at all, which takes 2 us. */
export class ScanBudget {
  readonly #now: () => number;
  readonly #ruleMs: number;
  #left: number;
  #tries = 0;
  #looked: number | undefined;
  #rule = 0;

  constructor(bytes: number, { now = () => performance.now(), ruleMs }: BudgetOptions) {
    this.#now = now;
    this.#ruleMs = ruleMs ?? SECRET_RULE_MS + bytes / 1e6 * RULE_MS_PER_MB;
    this.#left = ruleMs === undefined ? FILE_MS + bytes / 1e6 * FILE_MS_PER_MB : Infinity;
  }

  /** The next rule begins with a whole share. */
  nextRule(): void {
    this.#rule = 0;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  /** Whether the rule or the file has used up its time. */
  isOverAfterTry(): boolean {
    if (++this.#tries % SECRET_TRIES_PER_CLOCK !== 0) return false;
    const time = this.#now();
    const stretch = Math.min(time - (this.#looked ?? time), STRETCH_MS);
    this.#looked = time;
    this.#rule += stretch;
    this.#left -= stretch;
    return this.#rule > this.#ruleMs || this.isOver;
  }
}
