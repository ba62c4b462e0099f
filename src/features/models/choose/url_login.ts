/** Finds the password, or the token, that stands in a URL. */
import { isUnmistakable } from "svc/features/settings/known_secrets.ts";

/** A shorter user of a URL without a password is a name. */
const TOKEN_CHARS = 16;

function plain(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray percent sign
  }
}

/** As written and as meant. Over HTTP a token may stand in place of the user; that of ssh is a name. */
export function loginInUrl(url: string): string[] {
  const [, scheme = "", user = "", password = ""] =
    /^([a-z+]+):\/\/([^/?#:]*)(?::([^/?#]*))?@/i.exec(url) ?? [];
  const token = /^https?$/i.test(scheme) && user.length >= TOKEN_CHARS ? [user] : [];
  return [password, ...token].filter((value) => isUnmistakable(plain(value)))
    .flatMap((value) => [value, plain(value)]);
}
