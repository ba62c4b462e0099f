/** How a model is sampled: what its override says, else the user's config, else its maker's advice. */
import { z } from "zod";
import type { ModelRoute, Sampling } from "svc/features/models/client/model.ts";
import { type ModelSampling, SamplingFields } from "svc/features/settings/model_settings.ts";
import { hasStem, isNamed } from "./model_names.ts";
import { FAMILIES } from "./shipped.gen.ts";

/** The shape of `assets/models/sampling.yaml`. */
export const Advice = z.strictObject({
  version: z.literal(1),
  families: z.array(z.strictObject({
    family: z.string(),
    stems: z.array(z.string()).min(1),
    sampling: SamplingFields,
    source: z.url({ protocol: /^https$/ }),
  })),
});
export type Family = z.infer<typeof Advice>["families"][number];

/** From the keys of files to the fields of a route. */
const FIELDS = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  min_p: "minP",
  repetition_penalty: "repetitionPenalty",
  reasoning_effort: "reasoningEffort",
} as const satisfies Record<keyof ModelSampling, keyof Sampling>;

export type SamplingKey = keyof typeof FIELDS;
const KEYS = Object.keys(FIELDS) as SamplingKey[];

export interface SamplingChoice {
  readonly key: SamplingKey;
  readonly value: number | string;
  readonly from: string;
  /** Page of the maker that advises it. */
  readonly source?: string;
}

/** `models.sampling` of the user's config: patterns of models' names, of which the first that fits counts. */
export type OwnSampling = Readonly<Record<string, ModelSampling>>;

/** As `assets/models/sampling.yaml` has them; `deno task gen` has checked them. */
export const families = () => FAMILIES as readonly Family[];

export function familyOf(model: string): Family | undefined {
  return families().find(({ stems }) => stems.some((stem) => hasStem(model, stem)));
}

export function samplingFields(said: ModelSampling): Sampling {
  return Object.fromEntries(
    KEYS.flatMap((key) => said[key] === undefined ? [] : [[FIELDS[key], said[key]]]),
  );
}

/** Each value with its origin. Where nothing is known of a model, there is none: the server's own default stands. */
export function samplingChoices(
  { model, sampling = {}, because }: Pick<ModelRoute, "model" | "sampling" | "because">,
  own: OwnSampling,
): SamplingChoice[] {
  const pattern = Object.keys(own).find((each) => model !== "" && isNamed(model, each));
  const family = familyOf(model);
  return KEYS.flatMap((key): SamplingChoice[] => {
    const said = sampling[FIELDS[key]];
    if (said !== undefined) return [{ key, value: said, from: because }];
    const mine = pattern === undefined ? undefined : own[pattern]![key];
    if (mine !== undefined) {
      return [{ key, value: mine, from: `models.sampling "${pattern}" of your config` }];
    }
    const advised = key === "reasoning_effort" ? undefined : family?.sampling[key];
    if (family === undefined || advised === undefined) return [];
    return [{ key, value: advised, from: `advice for ${family.family}`, source: family.source }];
  });
}

/** For a route whose model is known. */
export function withSampling(route: ModelRoute, own: OwnSampling): ModelRoute {
  const choices = samplingChoices(route, own).map(({ key, value }) => [FIELDS[key], value]);
  return choices.length === 0 ? route : { ...route, sampling: Object.fromEntries(choices) };
}
