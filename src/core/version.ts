/** The version constant; `release notes` rewrites it together with the file VERSION. */
export const VERSION = "0.2.0";
