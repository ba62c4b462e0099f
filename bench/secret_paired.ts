/** secretlint's recommended preset as a scanner of the bench, beside svc's own. */
import type { Span } from "./secret_score.ts";

interface Message {
  readonly range: readonly [number, number];
  readonly ruleId: string;
}

interface Core {
  lintSource(of: {
    source: { filePath: string; content: string; contentType: "text" };
    options: {
      config: { rules: readonly { id: string; rule: unknown }[] };
      noPhysicFilePath: true;
    };
  }): Promise<{ messages: readonly Message[] }>;
}

const VERSION = "13.0.7";
const PRESET = "@secretlint/secretlint-rule-preset-recommend";

/** Loads secretlint from npm; the specifiers are computed, so the project itself does not depend on it. */
export async function secretlint(): Promise<(path: string, text: string) => Promise<Span[]>> {
  const { lintSource } = await import(`npm:@secretlint/core@${VERSION}`) as Core;
  const { creator } = await import(`npm:${PRESET}@${VERSION}`) as { creator: unknown };
  const config = { rules: [{ id: PRESET, rule: creator }] };
  return async (path, text) => {
    const source = { filePath: `/${path}`, content: text, contentType: "text" as const };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    return messages.map(({ range: [start, end], ruleId }) => ({
      start,
      end,
      kind: "structured",
      rule: ruleId,
    }));
  };
}
