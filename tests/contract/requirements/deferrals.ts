/** Why a promise has no test yet: what the product still lacks, one reason an area. */

export const SETUP = "machine setup, configuration and release access are not built yet";
