/** Reads single values out of a delivery, of which nothing is known but that its sender signed it. */
import { WEBHOOK_NAME_CHARS, WEBHOOK_TEXT_CHARS } from "svc/core/bounds.ts";

/** What is missing or of another type reads as undefined; never throws. */
export interface Payload {
  /** Any value below a path such as `issue.user.login`. */
  value(path: string): unknown;
  /** A short one, such as a name or an address: what is longer counts as missing. */
  name(path: string): string | undefined;
  /** A long one, cut at `WEBHOOK_TEXT_CHARS`; empty when it is missing. */
  text(path: string): string;
  int(path: string): number | undefined;
  flag(path: string): boolean;
  /** Of a list of objects: the short text that each has at `key`. */
  names(path: string, key: string): string[];
}

function clip(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()} …`;
}

function own(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

const short = (value: unknown) =>
  typeof value === "string" && value.length <= WEBHOOK_NAME_CHARS ? value : undefined;

export function payloadOf(root: unknown): Payload {
  const value = (path: string) => path.split(".").reduce((at, key) => own(at, key), root);
  return {
    value,
    name: (path) => short(value(path)),
    text(path) {
      const found = value(path);
      return typeof found === "string" ? clip(found.toWellFormed(), WEBHOOK_TEXT_CHARS) : "";
    },
    int(path) {
      const found = value(path);
      return Number.isSafeInteger(found) ? found as number : undefined;
    },
    flag: (path) => value(path) === true,
    names(path, key) {
      const list = value(path);
      return Array.isArray(list) ? list.flatMap((entry) => short(own(entry, key)) ?? []) : [];
    },
  };
}
