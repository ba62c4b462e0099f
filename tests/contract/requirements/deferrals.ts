/** Why a promise has no test yet: what the product still lacks, one reason an area. */

export const SURFACE = "the command tree is not complete yet";
export const SETUP = "machine setup, configuration and release access are not built yet";
export const MODELS = "bundles are not matched with this machine yet";
