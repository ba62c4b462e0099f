/** What may be said about a model: how it is sampled and what it costs; svc's own lists have the same shapes. */
import { z } from "zod";

/** The range that servers accept; svc never sends a value outside of it. */
export const SAMPLING_BOUNDS = {
  temperature: { min: 0, max: 2 },
  top_p: { min: 0.01, max: 1 },
  /** 0 turns it off. */
  top_k: { min: 0, max: 1_000 },
  min_p: { min: 0, max: 1 },
  repetition_penalty: { min: 0.5, max: 2 },
} as const;

export const REASONING_EFFORTS = ["minimal", "low", "medium", "high"] as const;

function within({ min, max }: { readonly min: number; readonly max: number }) {
  return z.number().min(min).max(max);
}

export const SamplingFields = z.strictObject({
  temperature: within(SAMPLING_BOUNDS.temperature).optional(),
  top_p: within(SAMPLING_BOUNDS.top_p).optional(),
  top_k: within(SAMPLING_BOUNDS.top_k).int().optional(),
  min_p: within(SAMPLING_BOUNDS.min_p).optional(),
  repetition_penalty: within(SAMPLING_BOUNDS.repetition_penalty).optional(),
});
export type SamplingFields = z.infer<typeof SamplingFields>;

export const reasoningEffort = z.enum(REASONING_EFFORTS);

export const ModelSampling = SamplingFields.extend({
  reasoning_effort: reasoningEffort.optional(),
});
export type ModelSampling = z.infer<typeof ModelSampling>;

/** A model's name, in which up to two `*` stand for anything; more would take long to compare. */
export const modelPattern = z.string().max(200).regex(
  /^[^*\s]*(?:\*[^*\s]*){0,2}$/,
  "must be a model's name, with * for any part of it",
);

/** US dollars per million tokens. */
const dollars = z.number().min(0).max(10_000);

export const Price = z.strictObject({
  input: dollars,
  /** Tokens that the server had in its cache; as `input` where it is left out. */
  cached_input: dollars.optional(),
  /** Tokens that the server took into its cache; as `input` where it is left out. */
  cache_write: dollars.optional(),
  output: dollars,
  /** Tokens of the longest prompt for which this holds. */
  up_to: z.int().positive().optional(),
});
export type Price = z.infer<typeof Price>;
