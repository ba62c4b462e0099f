/** Texts as every engine stores them. */

/** PostgreSQL stores neither NUL nor halves of a character: both become U+FFFD, in JSON texts too. */
export function storable(text: string): string {
  const whole = text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
  if (!whole.includes("\\u") || !/^[{[]/.test(whole)) return whole.toWellFormed();
  return whole.toWellFormed().replaceAll(
    /\\(?:u(d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|0000|d[89a-f][0-9a-f]{2})|[\s\S])/gi,
    (all, unit) => unit === undefined || unit.length > 4 ? all : "\\ufffd",
  );
}
