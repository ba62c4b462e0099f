/** Which of the found models to propose first: one that calls tools, writes code, and fits into this machine. */
import type { ModelEntry } from "svc/features/models/local/model_list.ts";
import type { FoundModel, FoundServer } from "./look_around.ts";

/** Gigabytes of a model's weights per billion parameters, at the four to five bits that servers load by default. */
const GB_PER_BILLION = 0.6;

/** Billions of parameters, as names have it: "qwen3:4b", "Qwen3-Coder-30B-A3B". */
function billions(id: string): number | undefined {
  const sizes = [...id.matchAll(/(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z])/gi)]
    .map(([, size]) => Number(size));
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

export interface Candidate extends FoundModel {
  readonly provider: string;
  readonly endpoint: string;
}

/** Larger is better; compared from the left. */
function merits(model: FoundModel, memoryBytes: number): readonly number[] {
  const size = billions(model.id);
  const fits = size === undefined || size * GB_PER_BILLION * 1e9 < memoryBytes;
  const tools = model.tools === undefined ? 1 : model.tools ? 2 : 0;
  const codes = /cod(?:er|ing)|codex|devstral|gpt-oss/i.test(model.id);
  return [tools, fits ? 1 : 0, codes ? 1 : 0, fits ? size ?? 0 : -(size ?? 0)];
}

/** All models of all servers, the best for agents first. */
export function ranked(
  servers: readonly FoundServer[],
  { memoryBytes }: { readonly memoryBytes: number },
): Candidate[] {
  const all = servers.flatMap(({ provider, endpoint, models }) =>
    models.map((model) => ({
      candidate: { ...model, provider, endpoint },
      merits: merits(model, memoryBytes),
    }))
  );
  return all.sort((one, other) => {
    const at = one.merits.findIndex((merit, at) => merit !== other.merits[at]);
    return at === -1 ? 0 : other.merits[at]! - one.merits[at]!;
  }).map(({ candidate }) => candidate);
}

/** A provider's general model for code and tools, by the names that it gives to each generation. */
const GENERATIONS: Readonly<Record<string, RegExp>> = {
  openai: /^gpt-(\d+(?:\.\d+)?)(?:-codex)?$/, // platform.openai.com/docs/models
  anthropic: /^claude-sonnet-(\d+(?:-\d{1,2})?)(?:-\d{8})?$/, // docs.anthropic.com/en/docs/about-claude/models
  gemini: /^models\/gemini-(\d+(?:\.\d+)?)-pro(?:-preview)?$/, // ai.google.dev/gemini-api/docs/models
  openrouter: /^anthropic\/claude-sonnet-(\d+(?:\.\d+)?)$/, // openrouter.ai/models
};

/** The newest generation first, then the rest as the provider lists them. */
export function cloudModels(provider: string, entries: readonly ModelEntry[]): string[] {
  const pattern = GENERATIONS[provider];
  const generation = (id: string) => Number(pattern?.exec(id)?.[1]?.replace("-", ".") ?? -1);
  return entries.map(({ id }) => id).sort((a, b) => generation(b) - generation(a));
}

/** Undefined where svc knows no name of this provider's general model among them. */
export function suggestedCloud(provider: string, ids: readonly string[]): string | undefined {
  const [first] = ids;
  return first !== undefined && GENERATIONS[provider]?.test(first) ? first : undefined;
}
