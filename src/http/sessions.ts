/** Who is logged in: in memory only, so that a restart ends every session. */
import {
  MUTATIONS_AT_ONCE,
  MUTATIONS_PER_MINUTE,
  SESSION_ID_BYTES,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
} from "svc/core/bounds.ts";
import type { Clock } from "svc/platform/clock.ts";
import { secretDigest } from "svc/platform/net/secret_digest.ts";
import { Bucket } from "./bucket.ts";

/** Sessions at a time; with one more the oldest ends. A person has a few browsers, not a hundred. */
export const SESSIONS = 16;

export interface Session {
  /** Lower-case hex of the id's digest; the id itself is kept nowhere. */
  readonly key: string;
  readonly csrf: string;
  /** Epoch ms. */
  readonly openedAt: number;
  readonly mutations: Bucket;
}

interface Kept {
  readonly session: Session;
  readonly onEnd: Set<() => void>;
  usedAt: number;
}

const keyOf = (id: string) => secretDigest(id).toHex();

/** 256 random bits, as 43 characters. */
function token(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SESSION_ID_BYTES));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

export class Sessions {
  /** Oldest first. */
  readonly #kept = new Map<string, Kept>();

  constructor(readonly clock: Pick<Clock, "now" | "monotonic">) {}

  /** The oldest ends when there are too many. */
  open(): { readonly id: string; readonly session: Session } {
    this.sweep();
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= SESSIONS && oldest !== undefined) this.end(oldest);
    const id = token();
    const openedAt = this.clock.now();
    const mutations = new Bucket(this.clock, MUTATIONS_PER_MINUTE, MUTATIONS_AT_ONCE);
    const session = { key: keyOf(id), csrf: token(), openedAt, mutations };
    this.#kept.set(session.key, { session, onEnd: new Set(), usedAt: openedAt });
    return { id, session };
  }

  /** The first that lives; it counts as used. */
  use(ids: readonly string[]): Session | undefined {
    for (const id of ids) {
      const kept = this.#living(keyOf(id));
      if (kept === undefined) continue;
      kept.usedAt = this.clock.now();
      return kept.session;
    }
    return undefined;
  }

  /** When it ends unless it is used before, epoch ms. */
  expiresAt({ key, openedAt }: Session): number {
    const usedAt = this.#kept.get(key)?.usedAt ?? openedAt;
    return Math.min(usedAt + SESSION_IDLE_MS, openedAt + SESSION_LIFE_MS);
  }

  end(key: string): void {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    for (const told of kept?.onEnd ?? []) told();
  }

  /** Ends those whose time is over; a request that brings one ends it as well. */
  sweep(): void {
    for (const key of this.#kept.keys()) this.#living(key);
  }

  /** @returns forgets `told`, which is called at once for a session that has ended */
  onEnd({ key }: Session, told: () => void): () => void {
    const kept = this.#kept.get(key);
    if (kept === undefined) told();
    kept?.onEnd.add(told);
    return () => void kept?.onEnd.delete(told);
  }

  #living(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    const now = this.clock.now();
    // A clock that was set back by more than the idle time ends it too.
    const idle = Math.abs(now - kept.usedAt) >= SESSION_IDLE_MS;
    if (!idle && now - kept.session.openedAt < SESSION_LIFE_MS) return kept;
    this.end(key);
    return undefined;
  }
}
