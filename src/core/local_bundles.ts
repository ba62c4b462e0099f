/** Ids of the bundles of local models, and what a person may ask for (spec section 4.5). */

export const LOCAL_BUNDLES = ["local-cpu-q3", "local-balanced-q4", "local-quality-q8"] as const;

/** `auto` stands for the one that fits the machine. */
export const BUNDLES = ["auto", ...LOCAL_BUNDLES] as const;
