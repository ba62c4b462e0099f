/** How much each source counts when files are ranked. */
import type { FusionWeights } from "./fusion.ts";

/**
 * Learned by `make bench-code-intel-learn` on the histories `LEARNED` of
 * `bench/code_intel/histories.ts`, none of which it is judged on: from each commit's words, with one
 * of its files and without, coordinate ascent on the recall of what else it changed. `named` was not
 * learned: what a person names is above all else.
 */
export const LEARNED_WEIGHTS: FusionWeights = {
  k: 5,
  of: {
    named: 10,
    defines: 1,
    tests: 1,
    importers: 0,
    imports: 0.2,
    together: 0.75,
    path: 1.5,
    mentions: 0.5,
    text: 1,
    words: 0.35,
    speaks: 0.1,
    past: 0.75,
    folder: 0.75,
    often: 1,
  },
};
