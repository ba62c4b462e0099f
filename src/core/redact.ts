/** Removes known secret values from a text, in every form that svc's own code might write them. */

import { plainLines, UNSEEN } from "./plain_text.ts";

/** A shorter "secret" is not redacted by value: it would blank ordinary words. */
const REDACT_MIN_CHARS = 6;

export type Redact = (text: string) => string;

export const REDACTED = "[redacted]";

/** JSON of a value whose texts are redacted each by itself: a match across two would break the JSON. */
export function redactedJson(value: unknown, redact: Redact): string {
  return JSON.stringify(value, (_, part) => typeof part === "string" ? redact(part) : part);
}

function base64Forms(bytes: Uint8Array): string[] {
  // At any of three offsets in a longer text; characters that depend on its neighbours are cut off.
  const forms = [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const text = padded.toBase64({ omitPadding: true });
    const start = [0, 2, 3][offset]!;
    const end = padded.length % 3 === 0 ? text.length : text.length - 1;
    return [text.slice(start, end)];
  });
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const url = encodeURIComponent(secret);
  const everyByte = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    ...base64Forms(bytes),
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    url.replaceAll("%20", "+"),
    everyByte,
    everyByte.toUpperCase(),
    json,
    json.replaceAll("/", "\\/"),
    bytes.toHex(),
    bytes.toHex().toUpperCase(),
  ];
}

const PARTS_TEXT = new RegExp(`(?![\\n\\r\\t])${UNSEEN.source}`, "u");

/** A secret that escape sequences or unseen characters part is redacted too; where one is, they are left out. */
function whateverPartsIt(redact: Redact): Redact {
  return (text) => {
    if (!PARTS_TEXT.test(text)) return redact(text);
    const whole = redact(text);
    const seen = plainLines(whole);
    const clean = redact(seen);
    return clean === seen ? whole : clean;
  };
}

/** Ignores secrets under `REDACT_MIN_CHARS`; `patterns` redacts by shape, after the exact values. */
export function redactor(secrets: Iterable<string>, patterns: Redact = (text) => text): Redact {
  const forms = [
    ...new Set(
      [...secrets].filter((secret) => secret.length >= REDACT_MIN_CHARS)
        .flatMap(formsOf),
    ),
  ]
    .filter((form) => form.length >= REDACT_MIN_CHARS)
    .sort((a, b) => b.length - a.length);
  if (forms.length === 0) return whateverPartsIt(patterns);
  const any = new RegExp(forms.map((form) => RegExp.escape(form)).join("|"), "g");
  return whateverPartsIt((text) => patterns(text.replace(any, REDACTED)));
}
