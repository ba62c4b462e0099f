/** Which values of this process and its config are secrets, so that no output shows them. */
import type { Env } from "svc/platform/entrance.ts";

const SECRET_NAME =
  /(?:TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|_AUTH|_PAT|DSN)$/i;

const PUBLIC_WORD = /^(?:true|false|\d{1,5})$/i;

/** One in 64 keys in Base64 begins as a path does (RFC 4648, section 4). */
function isPath(value: string): boolean {
  const key = (name: string) =>
    name.length >= 16 && /[a-z]/.test(name) && /[A-Z]/.test(name) && /\d/.test(name);
  return value.startsWith("/") && !/[+=]/.test(value) && !value.split("/").some(key);
}

const isPublic = (value: string) => PUBLIC_WORD.test(value) || isPath(value);

/** What a shell, or direnv, has of the person's apps counts too: a job's program may read it in `/proc`. */
export function secretsOfEnv(env: Pick<Env, "all">): string[] {
  const isSecret = (name: string, value: string) =>
    SECRET_NAME.test(name) || (name !== "PWD" && isSecretOfApp(name, value));
  return Object.entries(env.all())
    .filter(([name, value]) => !isPublic(value) && isSecret(name, value))
    .map(([, value]) => value);
}

/** As it is written, where that is no JSON: escapes of YAML alone are those of characters that no key has. */
function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/** @param typed what follows the colon. A `#` in quotes begins no comment (YAML 1.2.2, 7.3). */
function valuesIn(typed: string): string[] {
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(typed)?.[1];
  if (double !== undefined) return [double, unescaped(double)];
  const single = /^'((?:[^']|'')*)'/.exec(typed)?.[1];
  if (single !== undefined) return [single.replaceAll("''", "'")];
  const plain = typed.split(/\s#/, 1)[0]!.trim();
  // In braces it ends there; elsewhere the signs are its own.
  return [plain, plain.split(/[,}\]]/, 1)[0]!.trim()];
}

/** A key at the beginning of a line or in braces, as in JSON, and what follows its colon. */
const SECRET_KEY =
  /(?:^[ \t]*|[{,][ \t]*)["']?[\w-]*?(?:token|secret|password|key)["']?[ \t]*:[ \t]*(?=(.+))/gim;

const COMMENTS = /^[ \t]*#.*$|[ \t]#[^"'\n]*$/gm;

/** Line by line, since the error about an invalid file is printed through the redactor too. */
export function secretsOfConfig(text: string): string[] {
  const found = text.replaceAll(COMMENTS, "").matchAll(SECRET_KEY);
  const values = [...found].flatMap(([, typed]) => valuesIn(typed!));
  return [...new Set(values)].filter((value) => value !== "");
}

/**
 * Values of the variables that the config names, whatever their names: keys of models, of MCP servers and of
 * code hosts. Any word counts, since an invalid file is no reason to show them.
 */
export function secretsNamedIn(text: string, env: Pick<Env, "all">): string[] {
  const words = new Set(text.match(/\w{3,}/g));
  return Object.entries(env.all())
    .filter(([name, value]) => words.has(name) && isSecretSetting(name, value))
    .map(([, value]) => value);
}

/** As `.env` files of an app call them, too. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) || /(?:^|_)(?:PASS|PWD|PASSWD)$/i.test(name);
}

/** Values that would only confuse when hidden. */
const PLAIN_VALUE = /^(?:[a-z]+|https?:\/\/[^@\s]*)$/i;

/** Files made to hold keys: values under other names count too, such as connection strings. */
export function isSecretSetting(name: string, value: string): boolean {
  if (value === "" || isPublic(value)) return false;
  return SECRET_NAME.test(name) || !PLAIN_VALUE.test(value);
}

const UNMISTAKABLE_CHARS = 16;
const LEAST_CHARS = 8;

/**
 * Words such as `postgres` and short numbers occur in files for other reasons too; hiding them would make a
 * role read garbled code and write it back. This rule is used for what is hidden from roles, not for what svc
 * itself prints.
 */
export function isUnmistakable(value: string): boolean {
  if (value.length >= UNMISTAKABLE_CHARS) return true;
  return value.length >= LEAST_CHARS && /[a-z]/i.test(value) && /[^a-z]/i.test(value);
}

/** A shorter value of a name that only says `KEY` may be one of a cache. */
const KEY_CHARS = 16;

/** A value of an app's own settings: `SMTP_PASS`, `SECRET_KEY_BASE`, `RAILS_MASTER_KEY`. */
export const isSecretOfApp = (name: string, value: string): boolean =>
  isSecretName(name)
    ? isUnmistakable(value)
    : /_?KEY(?:_BASE)?$/i.test(name) && value.length >= KEY_CHARS && /\d/.test(value);
