/** The Wilson score interval: how certain a share is after few trials. Pure. */

/** 97.5 % point of the standard normal distribution: a two-sided interval of 95 %. */
const Z = 1.959963984540054;

interface Interval {
  /** 0 to 100, to one decimal, as `upper`. */
  readonly lower: number;
  readonly upper: number;
}

const percent = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10;

/** NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.4.1. @param samples at least 1 */
export function wilson(successes: number, samples: number): Interval {
  const share = successes / samples;
  const square = Z * Z;
  const middle = share + square / (2 * samples);
  const reach = Z * Math.sqrt(share * (1 - share) / samples + square / (4 * samples * samples));
  const scale = 1 + square / samples;
  return { lower: percent((middle - reach) / scale), upper: percent((middle + reach) / scale) };
}
