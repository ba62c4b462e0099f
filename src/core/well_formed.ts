/** Texts of JSON without halves of a character, which parsers refuse (RFC 8259, 8.2). */

/** Each half becomes U+FFFD, also one that is written as `\ud83d`. The text need not be valid JSON. */
export function wellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  if (!/\\u[dD]/.test(whole)) return whole;
  return whole.replaceAll(
    /\\(?:u(d[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|d[89a-f][0-9a-f]{2})|[\s\S])/gi,
    (all, unit) => unit === undefined || unit.length > 4 ? all : "\\ufffd",
  );
}
