/** Reads single values of a delivery, about which only its signature is known. */
import { WEBHOOK_NAME_CHARS, WEBHOOK_TEXT_CHARS } from "svc/core/bounds.ts";
import { shortened } from "svc/core/shortened.ts";

/** A missing value or one of another type reads as undefined; never throws. */
export interface Payload {
  /** Takes a path such as `issue.user.login`. */
  value(path: string): unknown;
  /** A short text such as a name or an address; a longer one counts as missing. */
  name(path: string): string | undefined;
  /** Cut at `WEBHOOK_TEXT_CHARS`; empty when it is missing. */
  text(path: string): string;
  int(path: string): number | undefined;
  flag(path: string): boolean;
  names(path: string, key: string): string[];
}

const clip = (text: string, chars: number) => shortened(text, chars, " …");

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
