/** The shape of a secret rule, and the two short forms most rules are written in. */
import { assigned } from "./assigned.ts";
import type { Draw } from "./draw.ts";

/**
 * `structured`: the value alone shows what it is. `context`: the value has a known shape, and the
 * vendor's name stands before it. `generic`: any value that looks random under a telling name.
 */
type RuleKind = "structured" | "context" | "generic";

/** What a check may look at besides the secret itself. */
export interface MatchContext {
  /** The file's path, with `/`; empty for a text that is no file. */
  readonly path: string;
  /** The whole match, from the keyword to the end. */
  readonly match: string;
  /** The text the match stands in, and where the match and the secret begin in it. */
  readonly text: string;
  readonly index: number;
  readonly start: number;
}

export type SecretCheck = (secret: string, around: MatchContext) => boolean;

export interface SecretRule {
  readonly id: string;
  readonly about: string;
  readonly kind: RuleKind;
  /**
   * The pattern is tried only where one of these stands. At least three characters each; one in
   * lower case is found in any case, one with a capital only as written.
   */
  readonly keywords: readonly string[];
  /**
   * Tried at the keyword; every repetition in it is bounded. The secret is the first group that took
   * part, else all of the match; a group `head` in a look-behind is what stands before the keyword.
   */
  readonly pattern: RegExp;
  /** A second look that a pattern cannot take: entropy, decoding. Synthetic checksums never reject. */
  readonly check?: SecretCheck;
  /** The format holds runs or words that would pass for a placeholder elsewhere. */
  readonly verbatim?: true;
  /** A structured match may stand right after a letter, digit or underscore. */
  readonly openLeft?: true;
  /** Lines in which the rule must find something. */
  readonly examples: (draw: Draw) => readonly string[];
  /** Lines in which no rule may find anything. */
  readonly lookalikes: (draw: Draw) => readonly string[];
}

/** Pattern of a UUID (RFC 9562 section 4), in lower case. */
export const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

interface TokenRule {
  readonly id: string;
  readonly about: string;
  /** The literals a token of this kind begins with; a capital in one makes the search exact. */
  readonly prefix: string | readonly string[];
  /** Pattern of what follows the prefix. */
  readonly body: string;
  /** Example of what follows the first prefix. */
  readonly example: (draw: Draw) => string;
  readonly check?: SecretCheck;
  readonly verbatim?: true;
  readonly openLeft?: true;
  readonly lookalikes?: SecretRule["lookalikes"];
}

const escaped = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** A structured rule for tokens that begin with a literal prefix. */
export function token(of: TokenRule): SecretRule {
  const { prefix, body, example, lookalikes, ...rest } = of;
  const prefixes = typeof prefix === "string" ? [prefix] : prefix;
  return {
    ...rest,
    kind: "structured",
    keywords: prefixes,
    // Made when asked for: most rules of most runs never are, and each RegExp is parsed when made.
    get pattern() {
      return new RegExp(`(?:${prefixes.map(escaped).join("|")})(?:${body})`);
    },
    examples: (draw) => prefixes.map((each) => each + example(draw)),
    lookalikes: (draw) => [
      prefixes[0] + "x".repeat(example(draw).length),
      prefixes[0] + example(draw).slice(0, 6),
      ...(lookalikes?.(draw) ?? []),
    ],
  };
}

interface NamedValueRule {
  readonly id: string;
  readonly about: string;
  /** Pattern of the name that stands before the value, and the keywords that announce it. */
  readonly name: string;
  readonly keywords: readonly string[];
  /** Pattern of the value. */
  readonly value: string;
  /** Example: a whole name and a value for it. */
  readonly example: (draw: Draw) => readonly [name: string, value: string];
  readonly check?: SecretCheck;
  readonly verbatim?: true;
  readonly lookalikes?: SecretRule["lookalikes"];
}

/** A context rule: a value of a known shape, assigned to a name of the vendor. */
export function named(of: NamedValueRule): SecretRule {
  const { name, value, example, lookalikes, ...rest } = of;
  return {
    ...rest,
    kind: "context",
    get pattern() {
      return assigned(name, value);
    },
    examples: (draw) => {
      const [left, right] = example(draw);
      return [`${left}=${right}`, `"${left}": "${right}",`, `const ${left} = '${right}';`];
    },
    lookalikes: (draw) => {
      const [left, right] = example(draw);
      return [
        `${left}=\${${left}}`,
        `${left}: <${left}>`,
        `"${left}": "${"x".repeat(right.length)}"`,
        ...(lookalikes?.(draw) ?? []),
      ];
    },
  };
}
