/** Limits of the live terminal. */

/** The least screen that says something: below it only how large it would have to be is said. */
export const SCREEN_COLUMNS = 40;
export const SCREEN_ROWS = 10;

/** Ages on the screen are in seconds. */
export const SCREEN_TICK_MS = 1_000;

/** Between two frames, however much happens; faster than an eye tells apart costs CPU only. */
export const SCREEN_REDRAW_MS = 100;

/** Between two looks at the size of the window: how long a resized one may look broken. */
export const SCREEN_LOOK_MS = 250;

/** How long the outcome of a key stays on the screen. */
export const SCREEN_NOTICE_MS = 60_000;

/** Characters of one text that are looked at for the screen; the widest one has some 500 cells. */
export const SCREEN_TEXT_CHARS = 1_000;
