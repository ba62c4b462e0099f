/** What each kind of wish takes; every text in it was written by somebody outside. */
import type { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";

export interface TicketWish {
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly by: string;
  /** Names. */
  readonly labels: readonly string[];
  /** The same for the same issue, whatever happens to it. */
  readonly fingerprint: string;
  readonly type: typeof TICKET_TYPES[number];
  readonly priority: typeof PRIORITIES[number];
}

/** A pull request; `branch` is absent where the event does not tell it. */
export interface Pull {
  readonly number: number;
  readonly branch?: string;
  readonly url: string;
}

export interface Wishes {
  readonly ticket: TicketWish;
  /** A role is asked for in words; on an issue that has no ticket yet it gets one. */
  readonly run: {
    readonly by: string;
    readonly text: string;
    readonly url: string;
    /** Word after the mention; counts when it is a role. */
    readonly role?: string;
    readonly about: { readonly issue: TicketWish } | { readonly pull: Pull };
  };
  readonly review: {
    readonly pull: Pull;
    readonly sha: string;
    readonly title: string;
    readonly body: string;
    readonly by: string;
  };
  readonly closed: { readonly pull: Pull; readonly merged: boolean; readonly by: string };
  readonly rework: {
    readonly pull: Pull;
    readonly by: string;
    readonly text: string;
    /** False: a thread, which counts once the review it belongs to asks for changes. */
    readonly asks: boolean;
  };
  readonly failed_check: {
    readonly branch: string;
    readonly sha: string;
    readonly name: string;
    /** End of what it printed, as far as the event tells it. */
    readonly text: string;
    readonly url: string;
  };
  readonly push: { readonly head: string };
  readonly cancel: { readonly fingerprint: string; readonly why: string };
  /** A role of the manifest asks for this event. */
  readonly trigger: { readonly title: string; readonly url: string; readonly by: string };
}
export type WishKind = keyof Wishes;

/** What a rule makes of an event. */
export type WishDraft = {
  readonly [K in WishKind]: {
    readonly kind: K;
    readonly item: Wishes[K];
    /** The same for two events that mean one thing; with `batchMs` for all that belong together. */
    readonly key: string;
    /** Waits so long for more of its key. */
    readonly batchMs?: number;
  };
}[WishKind];

/** One as it was stored. */
export type Wish = {
  readonly [K in WishKind]: {
    readonly kind: K;
    readonly items: readonly [Wishes[K], ...Wishes[K][]];
  };
}[WishKind];
