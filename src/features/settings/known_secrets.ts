/** Which values of this process and its config are secrets, so that no output shows them. */
import type { Env } from "svc/platform/entrance.ts";

/** Names that mark a variable as secret; values of such variables never reach an output. */
const SECRET_NAME =
  /(?:TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?|_AUTH|_PAT|DSN)$/i;

/** Public by nature, though the name matches. */
const PUBLIC_VALUE = /^(?:\/|true$|false$|\d{1,5}$)/i;

export function secretsOfEnv(env: Pick<Env, "all">): string[] {
  return Object.entries(env.all())
    .filter(([name, value]) => SECRET_NAME.test(name) && !PUBLIC_VALUE.test(value))
    .map(([, value]) => value);
}

/**
 * Values behind secret-like keys of config text, read line by line: it must work on a file that is
 * not valid, since the error about that file is printed through the redactor too.
 */
export function secretsOfConfig(text: string): string[] {
  return [...text.matchAll(/^[ \t]*[\w-]*?(?:token|secret|password|key)[ \t]*:[ \t]*(.+)$/gim)]
    .map(([, value]) => value!.replace(/\s+#.*$/, "").trim().replace(/^(["'])(.*)\1$/, "$2"))
    .filter((value) => value !== "");
}

/** Such as `production` or `http://127.0.0.1:11434/v1`: hiding them everywhere would only confuse. */
const PLAIN_VALUE = /^(?:[a-z]+|https?:\/\/[^@\s]*)$/i;

/** Of a file that is there to hold keys: also what has another name, such as a connection string. */
export function isSecretSetting(name: string, value: string): boolean {
  if (value === "" || PUBLIC_VALUE.test(value)) return false;
  return SECRET_NAME.test(name) || !PLAIN_VALUE.test(value);
}
