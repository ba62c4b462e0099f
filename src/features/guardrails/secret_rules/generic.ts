/** The generic rules: a random-looking value under a name that suggests a secret. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { looksSecret } from "svc/features/guardrails/secret_value.ts";
import { assignedAny } from "./assigned.ts";
import { isPasswordName, isSecretKey, tellsOfSecret, wordsOf } from "./names.ts";
import type { MatchContext, SecretCheck, SecretRule } from "./rule.ts";

/** Program text, where a bare value is an expression. */
const PROGRAM =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|pyi|rb|go|rs|java|kt|kts|scala|swift|cs|fs|vb|cpp|cc|cxx|c|h|hpp|php|pl|pm|lua|dart|ex|exs|erl|clj|groovy|m|mm|r|jl|zig|sol)$/i;

const NAME_CHARS = 40;

function nameAt({ text, index, match }: MatchContext): NameWords {
  let from = index;
  while (from > 0 && index - from < NAME_CHARS && isNameUnit(text.charCodeAt(from - 1))) from--;
  const right = match.match(/^[\w.\-]*(?: key)?/i)?.[0] ?? "";
  return remembered(text.slice(from, index) + right);
}

/** `[\w.\-]` */
function isNameUnit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || (unit >= 48 && unit <= 57) ||
    unit === 45 || unit === 46 || unit === 95;
}

interface NameWords {
  readonly name: string;
  readonly words: readonly string[];
  readonly tells: boolean;
}

/** A tree has few names, and most matches fail by them. */
const names = new Map<string, NameWords>();
const NAMES_KEPT = 2_000;

function remembered(part: string): NameWords {
  const known = names.get(part);
  if (known !== undefined) return known;
  const name = [...part].join(""); // a copy, since V8's part of a text keeps all of it in memory
  const words = wordsOf(name);
  const read = { name, words, tells: tellsOfSecret(words) };
  if (names.size >= NAMES_KEPT) names.clear();
  names.set(name, read);
  return read;
}

function check(
  as: "password" | "key",
  telling: (words: readonly string[]) => boolean,
): SecretCheck {
  return (value, around) => {
    const { words, tells, name } = nameAt(around);
    // A table of a program pairs a constant with its own name: `{ AUTH_GSS_5I, "AUTH_GSS_5I" }`.
    if (!tells || !telling(words) || value === name) return false;
    const before = around.text[around.start - 1] ?? "";
    const quoted = /["'`\u201c\u201d\u2018\u2019\u00ab\u00bb>[]/.test(before);
    const next = around.text[around.start + value.length] ?? "";
    if (!quoted && /[(\[]/.test(next)) return false;
    const program = PROGRAM.test(around.path) && !inComment(around);
    return looksSecret({ value: withoutEnding(value, ").]}|"), as, quoted, program });
  };
}

/** Whether the line begins as a comment, where a bare value is text, not an expression. */
function inComment({ text, index }: MatchContext): boolean {
  const line = text.slice(Math.max(text.lastIndexOf("\n", index) + 1, index - 200), index);
  return /^\s*(?:#|\/\/|\*|--|;|%)/.test(line);
}

const everything = () => true;

interface GenericRule {
  readonly id: string;
  readonly about: string;
  readonly name: string;
  readonly keywords: readonly string[];
  readonly check: SecretCheck;
  readonly names: readonly string[];
}

function generic({ name, names, ...rest }: GenericRule): SecretRule {
  return {
    ...rest,
    kind: "generic",
    get pattern() {
      return assignedAny(name);
    },
    examples: (draw) => {
      const left = draw.pick(names);
      const right = `${draw.base62(14)}${draw.digits(2)}${draw.letters(4)}${draw.hex(4)}`;
      return [
        `${left}=${right}`,
        `"${left}": "${right}"`,
        `const ${left} = '${right}';`,
        `  ${left}: ${right}`,
        `<${left}>${right}</${left}>`,
      ];
    },
    lookalikes: (draw) => {
      const left = draw.pick(names);
      return [
        `${left}=`,
        `${left}=\${${left}}`,
        `${left}: "{{ ${left} }}"`,
        `${left}: <your-${left}>`,
        `${left} = process.env.${left}`,
        `${left}: "changeme"`,
        `${left}: "********"`,
        `${left}: "${draw.uuid()}"`,
        `${left}_file = "/run/secrets/${draw.lower(8)}"`,
        `${left}: string;`,
        `const ${left} = await readSecret("production", ${draw.digits(3)});`,
        `public_${left} = "${draw.base62(30)}"`,
      ];
    },
  };
}

/** Assignment by a blank alone: `ENV NAME value` of a Dockerfile, `setenv NAME value`. */
const BY_BLANK: SecretRule = {
  id: "generic-environment-value",
  about: "Password, secret, token or key set in an image or shell without a sign",
  kind: "generic",
  keywords: ["env ", "arg ", "setenv ", "set -gx "],
  pattern:
    /(?:ENV|ARG|setenv|SetEnv|set -gx)[ \t]{1,4}(?<head_name>\w{0,40}(?:PASS|PWD|SECRET|TOKEN|KEY|CRED)\w{0,20})[ \t]{1,8}["']?(?<bare>[^\s"']{6,400})/,
  check: (value, { match, path }) => {
    const words = wordsOf(match.split(/\s+/).at(-2) ?? "");
    const as = words.some((word) => /pass|pwd/.test(word)) ? "password" : "key";
    return tellsOfSecret(words) &&
      looksSecret({ value, as, quoted: false, program: PROGRAM.test(path) });
  },
  examples: (
    draw,
  ) => [`ENV DB_PASSWORD ${draw.base62(12)}7Qx`, `setenv API_TOKEN ${draw.base62(28)}42`],
  lookalikes: () => [
    "ENV DB_PASSWORD changeme",
    "ENV API_KEY $API_KEY",
    "ENV TOKEN_URL https://x.test/oauth2",
  ],
};

export const genericRules = (): readonly SecretRule[] => [
  BY_BLANK,
  generic({
    id: "generic-password",
    about: "Password",
    name:
      "[Pp]ass(?:[Ww]or[dt]|[Ww]d|[Pp]hrase|[Cc]ode)?(?![a-rt-z])|PASS(?:WOR[DT]|WD|_?PHRASE|CODE)?(?![A-RT-Z])|[Pp](?:s)?wd(?![a-z])|PWD(?![A-Z])",
    keywords: ["pass", "pwd", "pswd"],
    names: ["DB_PASSWORD", "password", "rootPassword", "SMTP_PASS", "passphrase"],
    check: check("password", isPasswordName),
  }),
  generic({
    id: "generic-secret",
    about: "Secret",
    name: "[Ss]ecrets?(?![a-z])|SECRETS?(?![A-DF-JL-Z])",
    keywords: ["secret"],
    names: ["CLIENT_SECRET", "client_secret", "sessionSecret", "JWT_SECRET"],
    check: check("key", everything),
  }),
  generic({
    id: "generic-token",
    about: "Token or credential",
    name:
      "[Tt]okens?(?![a-z])|TOKENS?(?![A-Z])|[Cc]red(?:ential)?s?(?![a-z])|CRED(?:ENTIAL)?S?(?![A-Z])|[Aa]uth(?:orization)?(?![a-z])|AUTH(?:ORIZATION)?(?![A-Z])|[Bb]earer(?![a-z])|BEARER(?![A-Z])",
    keywords: ["token", "cred", "auth", "bearer"],
    names: ["AUTH_TOKEN", "access_token", "botToken", "API_TOKEN"],
    check: check("key", everything),
  }),
  generic({
    id: "generic-api-key",
    about: "API, access, signing or encryption key",
    name: "[Kk]ey(?![a-rt-z])|KEY(?![A-RT-Z])",
    keywords: ["key"],
    names: ["API_KEY", "api_key", "apiKey", "ENCRYPTION_KEY", "signingKey"],
    check: check(
      "key",
      isSecretKey,
    ),
  }),
];
