/** What a secret rule is, and the two short forms that most rules use. */
import { assigned } from "./assigned.ts";
import type { Draw } from "./draw.ts";

/**
 * `structured`: the value alone shows what it is. `context`: a known shape after a vendor's name.
 * `generic`: a random-looking value under a telling name.
 */
type RuleKind = "structured" | "context" | "generic";

export interface MatchContext {
  readonly path: string;
  readonly match: string;
  /** The match begins at `index`, the secret at `start`. */
  readonly text: string;
  readonly index: number;
  readonly start: number;
}

export type SecretCheck = (secret: string, around: MatchContext) => boolean;

export interface SecretRule {
  readonly id: string;
  readonly about: string;
  readonly kind: RuleKind;
  /** At least three characters each; in lower case they match any case, else only as written. */
  readonly keywords: readonly string[];
  /**
   * Tried at the keyword; repetitions are bounded. The secret is the first group that matched, or
   * the whole match; a group `head` in a look-behind is what precedes the keyword.
   */
  readonly pattern: RegExp;
  /** Tests that a pattern cannot do, such as entropy and decoding. Checksums never reject. */
  readonly check?: SecretCheck;
  /** The format contains runs or words that elsewhere mean a placeholder. */
  readonly verbatim?: true;
  /** A structured match may follow a letter, digit or underscore directly. */
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
  /** A capital makes the search case-sensitive. */
  readonly prefix: string | readonly string[];
  readonly body: string;
  readonly example: (draw: Draw) => string;
  readonly check?: SecretCheck;
  readonly verbatim?: true;
  readonly openLeft?: true;
  readonly lookalikes?: SecretRule["lookalikes"];
}

const escaped = (literal: string) => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

export function token(of: TokenRule): SecretRule {
  const { prefix, body, example, lookalikes, ...rest } = of;
  const prefixes = typeof prefix === "string" ? [prefix] : prefix;
  return {
    ...rest,
    kind: "structured",
    keywords: prefixes,
    // Created on demand: parsing a RegExp takes time, and most runs never need most rules.
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
  readonly name: string;
  readonly keywords: readonly string[];
  readonly value: string;
  readonly example: (draw: Draw) => readonly [name: string, value: string];
  readonly check?: SecretCheck;
  readonly verbatim?: true;
  readonly lookalikes?: SecretRule["lookalikes"];
}

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
