/** Seeded randomness of the secret benchmarks: the same seed gives the same corpus everywhere. */

const AZ = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const az = AZ.toLowerCase();

/** Sets of characters that vendors draw tokens from. */
export const SETS = {
  hex: "0123456789abcdef",
  HEX: "0123456789ABCDEF",
  num: "0123456789",
  az,
  alpha: AZ + az,
  lower: az + "0123456789",
  upper: AZ + "0123456789",
  b32: AZ + "234567",
  b58: "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
  b62: AZ + az + "0123456789",
  b64: AZ + az + "0123456789+/",
  url: AZ + az + "0123456789-_",
} as const;

/** A linear congruential generator modulo 2^48 (the constants of POSIX `drand48`). */
export class Dice {
  #state: bigint;

  constructor(seed: number) {
    this.#state = (BigInt(seed) << 16n) + 0x330en;
  }

  /** A number in [0, 1). */
  roll(): number {
    this.#state = (this.#state * 0x5deece66dn + 0xbn) & 0xffffffffffffn;
    return Number(this.#state >> 16n) / 2 ** 32;
  }

  int(limit: number): number {
    return Math.floor(this.roll() * limit);
  }

  one<T>(of: readonly T[]): T {
    return of[this.int(of.length)] as T;
  }

  chars(set: keyof typeof SETS, n: number): string {
    return Array.from({ length: n }, () => SETS[set][this.int(SETS[set].length)]).join("");
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((n) => this.chars("hex", n)).join("-");
  }

  word(): string {
    return this.one(WORDS);
  }

  /** A sentence of some words. */
  words(n: number): string {
    return Array.from({ length: n }, () => this.word()).join(" ");
  }
}

export const WORDS =
  ("account action adapter admin after agent array async batch before block branch browser buffer build button cache channel " +
    "client cluster color column command commit compile component config connection container content context controller copy " +
    "counter create cursor dashboard data date default delete deploy design device dialog directory document domain driver " +
    "element email engine error event example export factory feature field file filter folder format frame function gateway " +
    "global group handler header height history hook host image import index input install instance interface invoice item " +
    "label language layout level library limit link list loader local location logger login machine manager map member memory " +
    "merge message method metric middleware migration mobile model module monitor network node notice number object offset " +
    "option order output package page panel parser path pattern payload payment permission pipeline plugin point policy port " +
    "process profile project promise property protocol provider proxy query queue random reader record region registry release " +
    "render report request resource response result role route router rule runtime sample schedule schema scope screen script " +
    "search section select sender series server service session setting shared signal size snapshot socket source stack stage " +
    "state status storage store stream string style subject switch symbol sync system table target task team template tenant " +
    "theme thread time timer title toolbar tracker traffic transform tree trigger type update upload user util validator value " +
    "vendor version video view volume warning watcher webhook widget window worker workflow workspace wrapper")
    .split(" ");
