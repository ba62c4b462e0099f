/** Text of one line, as titles and lines of evidence are stored. */

/** Runs of white space and control characters become one blank. */
export const flat = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
