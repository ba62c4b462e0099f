/**
 * Every limit the spec leaves open, named, with its unit and reason, by area. One that is used across
 * areas stands where it was needed first.
 */
export * from "./bounds/system.ts";
export * from "./bounds/repos.ts";
export * from "./bounds/agents.ts";
export * from "./bounds/code_intel.ts";
export * from "./bounds/runtime.ts";
export * from "./bounds/views.ts";

/** A delivery of GitHub has at most 25 MB, and Linear's are small. */
export const GITHUB_DELIVERY_BYTES = 25 * 1024 * 1024;
export const LINEAR_DELIVERY_BYTES = 1024 * 1024;

/** Bodies of requests that one listener holds at a time, all together. */
export const HTTP_BODIES_BYTES = 64 * 1024 * 1024;

/** A body that is not whole after this long is not waited for any more. */
export const HTTP_BODY_MS = 10_000;

/** Requests that one listener works on at a time; more are asked to come again. */
export const HTTP_REQUESTS = 1024;

/** Characters of a request's address. */
export const HTTP_TARGET_CHARS = 4096;

/** When somebody who was refused for want of room may come again. */
export const HTTP_RETRY_SECS = 5;

/** A delivery is stored or refused within this time: Linear waits 5 s, GitHub 10 s. */
export const WEBHOOK_STORE_MS = 1_500;

/** Age, either way, at which the time in a signed delivery of Linear is no longer believed. */
export const LINEAR_SKEW_MS = 60_000;

/** What is known of a delivery, so long: GitHub sends one again for 3 days at most. */
export const DELIVERY_KEEP_MS = 7 * 24 * 60 * 60 * 1000;

/** What a manifest says of webhooks is read again after this long. */
export const WEBHOOK_MANIFEST_MS = 5_000;

/** Characters that are kept of a text, a name or an address from outside. */
export const WEBHOOK_TEXT_CHARS = 16_000;
export const WEBHOOK_NAME_CHARS = 300;

/** Characters of a comment, a review or a log that join a ticket's evidence. */
export const WEBHOOK_EVIDENCE_CHARS = 2_000;

/** Threads of a review, and pushes, come one by one; they are worked on together. */
export const WEBHOOK_REVIEW_MS = 30_000;
export const WEBHOOK_PUSH_MS = 60_000;

/** Of those, so many are kept. */
export const WEBHOOK_BATCH = 100;

/** Failed checks that send one ticket back; with the next a person is asked. */
export const WEBHOOK_FAILED_CHECKS = 2;

/** Wishes of webhooks that are worked on in one go. */
export const WISHES_AT_ONCE = 100;

/** A tick that was missed is made up for within this; an older one is passed over. */
export const CRON_CATCH_UP_MS = 24 * 60 * 60 * 1000;

/** A tick found later than this was missed: nobody ran when it came. */
export const CRON_LATE_MS = 5 * 60 * 1000;

/** Schedules of one repo, and characters of one: more is no plan of a person. */
export const CRON_SCHEDULES = 50;
export const CRON_CHARS = 100;

/** The longest sleep until the next tick: a clock that jumps and an edited manifest are seen by then. */
export const SCHEDULER_SLEEP_MS = 60_000;

/** Looks at each repo for work that nobody has begun; each time earlier or later by a part of it. */
export const SURVEY_MS = 30 * 60 * 1000;
export const SURVEY_JITTER = 0.2;

/** A decision whose next job was never queued is followed by `start` for so long. */
export const START_DECISION_MS = 7 * 24 * 60 * 60 * 1000;

/** Decisions that `start` looks back at. */
export const START_DECISIONS = 200;
/** A database that has not answered a monitor's question by then does not answer. */
export const HEALTH_MS = 2_000;
export * from "./bounds/outcomes.ts";
export * from "./bounds/http.ts";
export * from "./bounds/terminal.ts";
