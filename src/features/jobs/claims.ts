/** Claims of the workers of one process on a server: those that come at once share a statement and a commit. */
import { JOB_LEASE_MS } from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { afterTheRest } from "svc/platform/timers.ts";
import { sharedNow } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { claimSome } from "./claim_query.ts";
import type { Claim } from "./claim_rules.ts";
import type { Job } from "./job_table.ts";

/** Each count has a plan of its own. */
const CLAIMS_AT_ONCE = 8;

/** A claim that took longer has passed over many jobs: for a while the queue is asked by repo and role. */
const SLOW_MS = 20;
const SLOW_CLAIMS = 3;
const BY_LANE_MS = 60_000;

interface Waiting {
  readonly claim: Claim;
  /** The parameters of a claim, except its owner and time. */
  readonly asks: string;
  resolve(job: Job | undefined): void;
  reject(thrown: unknown): void;
}

export class Claims {
  #waiting: Waiting[] = [];
  #asks = false;
  #slow = 0;
  #lanesUntil = -Infinity;

  constructor(readonly db: Db, readonly clock: Pick<Clock, "monotonic">) {}

  next(claim: Claim): Promise<Job | undefined> {
    const { owner: _owner, now: _now, ...rest } = claim;
    const { promise, resolve, reject } = Promise.withResolvers<Job | undefined>();
    this.#waiting.push({ claim, asks: JSON.stringify(rest), resolve, reject });
    if (!this.#asks) void this.#serve();
    return promise;
  }

  /** Never throws: who waits is told. */
  async #serve(): Promise<void> {
    this.#asks = true;
    await afterTheRest();
    for (let first; (first = this.#waiting[0]) !== undefined; await afterTheRest()) {
      const { asks } = first;
      const those = this.#waiting.filter((one) => one.asks === asks).slice(0, CLAIMS_AT_ONCE);
      this.#drop(those);
      try {
        const jobs = await this.#claim(those.map(({ claim }) => claim));
        this.#give(those, jobs);
      } catch (thrown) {
        for (const { reject } of those) reject(thrown);
      }
    }
    this.#asks = false;
  }

  /** Where only some got one, the queue had to be read no further than the next that waits for one of them. */
  #give(those: readonly Waiting[], jobs: readonly Job[]): void {
    const left = [...jobs];
    const unserved = those.filter((one) => {
      const at = left.findIndex(({ lease_owner }) => lease_owner === one.claim.owner);
      const [job] = at < 0 ? [] : left.splice(at, 1);
      if (job === undefined && jobs.length > 0) return true;
      one.resolve(job);
      return false;
    });
    this.#waiting.unshift(...unserved);
  }

  #drop(those: readonly Waiting[]): void {
    this.#waiting = this.#waiting.filter((one) => !those.includes(one));
  }

  async #claim(claims: readonly Claim[]): Promise<Job[]> {
    const began = this.clock.monotonic();
    const lanes = began < this.#lanesUntil;
    const jobs = claims[0]!.limited
      ? await this.db.transaction().execute((tx) => this.#oneByOne(tx, claims, lanes))
      : await this.#some(this.db, claims, lanes);
    const now = this.clock.monotonic();
    if (!lanes) this.#slow = now - began > SLOW_MS ? this.#slow + 1 : 0;
    if (this.#slow >= SLOW_CLAIMS) {
      this.#lanesUntil = now + BY_LANE_MS;
      this.#slow = 0;
    }
    return jobs;
  }

  /** Each sees what the one before it has taken of a limit. */
  async #oneByOne(tx: Db, claims: readonly Claim[], lanes: boolean): Promise<Job[]> {
    const jobs: Job[] = [];
    for (const claim of claims) {
      const [job] = await this.#some(tx, [claim], lanes);
      if (job === undefined) break;
      jobs.push(job);
    }
    return jobs;
  }

  async #some(db: Db, claims: readonly Claim[], lanes: boolean): Promise<Job[]> {
    const [claim] = claims as [Claim];
    const { leaseMs = JOB_LEASE_MS } = claim;
    const query = { claim, now: sharedNow(db, claim.now), leaseMs };
    const { rows } = await claimSome(query, claims.map(({ owner }) => owner), lanes).execute(db);
    return rows;
  }
}
