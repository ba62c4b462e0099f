/** Limits of what one answer of the HTTP API holds, and of what is read for it. */

/** Jobs of one page of the list. */
export const JOBS_A_PAGE = 100;

/** Decisions that one answer lists, newest first. */
export const DECISIONS_LISTED = 100;

/** Cards of one zone; a person who sees fifty wants a filter, not more of them. */
export const CARDS_A_ZONE = 50;

/** What is done stays on the board for a day. */
export const CARDS_DONE_MS = 24 * 60 * 60 * 1000;

/** A job without a ticket that failed is shown as broken for so long, unless its role runs again: 7 days. */
export const CARDS_FAILING_MS = 7 * 24 * 60 * 60 * 1000;

/** Newest moves to blocked among which those of the tickets on the board are looked for. */
export const BLOCKS_LOOKED_AT = 500;

/** Routes count how often they were followed within this time: 7 days. */
export const ROUTES_TAKEN_MS = 7 * 24 * 60 * 60 * 1000;

/** Files of a repo are not read again within this time, nor within ten times what reading them took. */
export const VIEW_FRESH_MS = 1_000;
export const VIEW_FRESH_SHARE = 10;

/** Scores and counts of routes are counted again within this time, though nothing was decided: their windows move. */
export const TALLIES_FRESH_MS = 60_000;

/** Events, deliveries, refused calls and failed jobs that the debug page shows of each. */
export const DEBUG_LISTED = 100;

/** Refused calls of the debug page are not older than this. */
export const DEBUG_DENIALS_MS = 24 * 60 * 60 * 1000;

/** A trace that a page reads; a longer one is downloaded, not looked through. */
export const VIEW_TRACE_BYTES = 32 * 1024 * 1024;

/** Newest turns of a trace that the page of its job shows, and characters of each of their texts. */
export const VIEW_TURNS = 200;
export const VIEW_TEXT_CHARS = 4_000;
export const VIEW_CALL_CHARS = 2_000;

/** Refused calls and checks that the page of a job lists. */
export const VIEW_JOB_LISTED = 200;

/** Merges of one branch that are looked at for the one that took a commit. */
export const VIEW_MERGES = 10;

/** Characters of a diff that the page of its job shows. */
export const VIEW_DIFF_CHARS = 400_000;

/** Jobs of one ticket that its page lists, newest first. */
export const TICKET_JOBS_LISTED = 100;
