/** The payload of each kind of request; every text in it was written by somebody outside. */
import type { PRIORITIES, TICKET_TYPES } from "svc/features/tickets/ticket_names.ts";

/** Somebody who may have work done stands behind the issue, with its text as the event tells it. */
export interface Asker {
  /** At Linear the person's address. */
  readonly login: string;
  /** The event says that the repo is theirs; of others the code host knows whether they may write to it. */
  readonly owner?: true;
}

export interface OutsideIssue {
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly by: string;
  readonly labels: readonly string[];
  /** Stays the same for an issue, whatever happens to it. */
  readonly fingerprint: string;
  readonly type: typeof TICKET_TYPES[number];
  readonly priority: typeof PRIORITIES[number];
  /** When the event happened by the sender's clock, RFC 3339. */
  readonly at?: string | undefined;
  /** Who caused the event, then who wrote the text, as far as that is a person whom the sender names. */
  readonly askers?: readonly Asker[];
}

export interface OutsidePull {
  readonly number: number;
  readonly branch?: string;
  /** The branch that it is to be merged into, as far as the event tells. */
  readonly into?: string;
  readonly url: string;
}

export interface RequestItems {
  readonly ticket: OutsideIssue;
  /** Somebody mentions a role; an issue without a ticket gets one. */
  readonly run: {
    readonly by: string;
    readonly text: string;
    readonly url: string;
    readonly role?: string;
    readonly about: { readonly issue: OutsideIssue } | { readonly pull: OutsidePull };
  };
  readonly review: {
    readonly pull: OutsidePull;
    readonly sha: string;
    readonly title: string;
    readonly body: string;
    readonly by: string;
    /** As that of an issue. */
    readonly at?: string | undefined;
  };
  readonly closed: {
    readonly pull: OutsidePull;
    readonly merged: boolean;
    readonly by: string;
    /** As that of an issue. */
    readonly at?: string | undefined;
  };
  readonly rework: {
    readonly pull: OutsidePull;
    readonly by: string;
    readonly text: string;
    /** False for a thread, which counts once its review requests changes. */
    readonly asks: boolean;
  };
  readonly failed_check: {
    readonly branch: string;
    readonly sha: string;
    readonly name: string;
    /** The end of the check's output, as far as the event tells it. */
    readonly text: string;
    readonly url: string;
  };
  readonly push: { readonly head: string };
  readonly cancel: {
    readonly fingerprint: string;
    /** That of the issue, as far as it is told. */
    readonly title?: string;
    readonly why: string;
    /** As that of an issue. */
    readonly at?: string | undefined;
    /** The issue is gone, so that nothing comes after it. */
    readonly final?: true;
  };
  readonly trigger: { readonly title: string; readonly url: string; readonly by: string };
}
export type RequestKind = keyof RequestItems;

export type RequestDraft = {
  readonly [K in RequestKind]: {
    readonly kind: K;
    readonly item: RequestItems[K];
    /** The same for two events that mean one thing; with `batchMs` for all that belong together. */
    readonly key: string;
    /** How long it waits for more items of its key. */
    readonly batchMs?: number;
  };
}[RequestKind];

export type WebhookRequest = {
  readonly [K in RequestKind]: {
    readonly kind: K;
    readonly items: readonly [RequestItems[K], ...RequestItems[K][]];
  };
}[RequestKind];
