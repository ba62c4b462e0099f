/** A type and all below it, read only: what a zod shape infers is mutable, results are not. */
export type Immutable<T> = T extends readonly (infer E)[] ? readonly Immutable<E>[]
  : T extends object ? { readonly [K in keyof T]: Immutable<T[K]> }
  : T;
