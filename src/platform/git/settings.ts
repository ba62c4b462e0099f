/** A repo's settings as `git config --list` tells them, and what `git config` would answer to a question about them. */
import { joinBytes } from "svc/core/bytes.ts";
import { nulItems } from "./output.ts";

/** Arguments under which git lists what `settingsListed` reads. */
export const LIST_SETTINGS = ["config", "--includes", "--show-scope", "--list", "-z"];

export interface ListedSetting {
  /** `local` is the repo's own file; `worktree` that of one work tree; `command` what svc itself sets. */
  readonly scope: string;
  /** As git gave it: section and key in small letters, the part between as written. It need not be UTF-8. */
  readonly name: Uint8Array;
  /** Undefined for a key without "=", which is a true boolean (git-config(1), SYNTAX). */
  readonly value: Uint8Array | undefined;
}

const LF = 10;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export const nameOf = ({ name }: ListedSetting) => decoder.decode(name);

/** `scope NUL name LF value NUL`, without the LF where there is no value. A name holds no LF. */
export function settingsListed(bytes: Uint8Array): ListedSetting[] {
  const items = nulItems(bytes);
  const settings: ListedSetting[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    const item = items[at + 1]!;
    const end = item.indexOf(LF);
    settings.push({
      scope: decoder.decode(items[at]),
      name: end === -1 ? item : item.subarray(0, end),
      value: end === -1 ? undefined : item.subarray(end + 1),
    });
  }
  return settings;
}

/** Section and key are compared in small letters, the part between as it stands. */
function canonical(key: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return key.slice(0, first).toLowerCase() + key.slice(first, last) +
    key.slice(last).toLowerCase();
}

const TRUE = /^(?:true|yes|on|1)$/i;
const FALSE = /^(?:false|no|off|0|)$/i;

/** Undefined for another number, or no boolean at all: git is to say so. */
function booleanText(value: Uint8Array | undefined): string | undefined {
  const text = value && decoder.decode(value);
  if (text === undefined || TRUE.test(text)) return "true";
  return FALSE.test(text) ? "false" : undefined;
}

const FLAGS = new Set(["--local", "--includes", "-z", "--type=bool", "--get", "--get-regexp"]);
/** Such as `^user\.(name|email)$`, which means the same to POSIX and here. */
const PLAIN_PATTERN = /^\^(?:\.\*|[\w.()|-]|\\\.)+\$$/;

/** What git prints with nothing blanked (`hardening.ts`). Empty where it finds nothing and ends with 1: each answer has
 * an end of its own, NUL or LF.
 * @param args of `git config` @returns undefined for what only git can answer */
export function configAnswer(
  settings: readonly ListedSetting[],
  args: readonly string[],
): Uint8Array | undefined {
  const [verb, ...rest] = args;
  const flags = new Set(rest.slice(0, -1));
  const asked = rest.at(-1) ?? "";
  if (verb !== "config" || [...flags].some((flag) => !FLAGS.has(flag))) return undefined;
  if (flags.has("--get") === flags.has("--get-regexp")) return undefined;
  const own = flags.has("--local")
    ? settings.filter(({ scope }) => scope === "local")
    : [...settings];
  const end = Uint8Array.of(flags.has("-z") ? 0 : LF);
  if (flags.has("--get-regexp")) {
    if (!PLAIN_PATTERN.test(asked) || !flags.has("-z") || flags.has("--type=bool")) {
      return undefined;
    }
    const pattern = new RegExp(asked);
    const found = own.filter((setting) => pattern.test(nameOf(setting)));
    return joinBytes(found.flatMap(({ name, value }) => [
      ...(value === undefined ? [name] : [name, Uint8Array.of(LF), value]),
      end,
    ]));
  }
  const wanted = canonical(asked);
  const found = own.findLast((setting) => nameOf(setting) === wanted);
  if (found === undefined) return new Uint8Array(0);
  if (!flags.has("--type=bool")) return joinBytes([found.value ?? new Uint8Array(0), end]);
  const text = booleanText(found.value);
  return text === undefined ? undefined : joinBytes([new TextEncoder().encode(text), end]);
}
