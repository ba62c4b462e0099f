/** The name of a check or of a step of the set-up, as a manifest may have it. */

/** As `manifest_shape.ts` takes them. */
const LONGEST = 40;

const PLAIN: Readonly<Record<string, string>> = { "c#": "csharp", "c++": "cpp" };

/** "services/Auth-test" → "services-auth-test"; of a long one the end stays. */
export function commandName(text: string): string {
  const named = text.replace(/^c(?:#|\+\+)(?=-)/, (language) => PLAIN[language]!);
  const plain = named.toLowerCase().replaceAll(/[^a-z0-9_]+/g, "-").slice(-LONGEST);
  return plain.replace(/^[^a-z]+/, "") || "check";
}
