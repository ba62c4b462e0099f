/** The sessions of people, in memory only: a restart ends them all. */
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

export const SESSIONS = 16;

export interface LoginSession {
  /** Digest of the id; the id itself is not stored. */
  readonly key: string;
  readonly csrf: string;
  /** Epoch ms. */
  readonly openedAt: number;
  readonly mutations: Bucket;
}

interface LiveSession {
  readonly session: LoginSession;
  readonly onEnd: Set<() => void>;
  usedAt: number;
}

const keyOf = (id: string) => secretDigest(id).toHex();

function token(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SESSION_ID_BYTES));
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

export class Sessions {
  readonly #byKey = new Map<string, LiveSession>();

  constructor(readonly clock: Pick<Clock, "now" | "monotonic">) {}

  open(): { readonly id: string; readonly session: LoginSession } {
    this.sweep();
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size >= SESSIONS && oldest !== undefined) this.end(oldest);
    const id = token();
    const openedAt = this.clock.now();
    const mutations = new Bucket(this.clock, MUTATIONS_PER_MINUTE, MUTATIONS_AT_ONCE);
    const session = { key: keyOf(id), csrf: token(), openedAt, mutations };
    this.#byKey.set(session.key, { session, onEnd: new Set(), usedAt: openedAt });
    return { id, session };
  }

  /** The session counts as used. */
  use(ids: readonly string[]): LoginSession | undefined {
    for (const id of ids) {
      const kept = this.#live(keyOf(id));
      if (kept === undefined) continue;
      kept.usedAt = this.clock.now();
      return kept.session;
    }
    return undefined;
  }

  expiresAt({ key, openedAt }: LoginSession): number {
    const usedAt = this.#byKey.get(key)?.usedAt ?? openedAt;
    return Math.min(usedAt + SESSION_IDLE_MS, openedAt + SESSION_LIFE_MS);
  }

  end(key: string): void {
    const kept = this.#byKey.get(key);
    this.#byKey.delete(key);
    for (const told of kept?.onEnd ?? []) told();
  }

  sweep(): void {
    for (const key of this.#byKey.keys()) this.#live(key);
  }

  /** Calls `told` at once for a session that has ended; the result forgets it. */
  onEnd({ key }: LoginSession, told: () => void): () => void {
    const kept = this.#byKey.get(key);
    if (kept === undefined) told();
    kept?.onEnd.add(told);
    return () => void kept?.onEnd.delete(told);
  }

  #live(key: string): LiveSession | undefined {
    const kept = this.#byKey.get(key);
    if (kept === undefined) return undefined;
    const now = this.clock.now();
    // A clock that was set back by more than the idle time ends the session too.
    const idle = Math.abs(now - kept.usedAt) >= SESSION_IDLE_MS;
    if (!idle && now - kept.session.openedAt < SESSION_LIFE_MS) return kept;
    this.end(key);
    return undefined;
  }
}
