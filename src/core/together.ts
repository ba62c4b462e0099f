/** Work in parallel that fails as if it were done one after the other. */

/** @throws the first rejection in the order given, once every promise is settled */
export async function together<T extends readonly unknown[]>(
  ...promises: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const ends = await Promise.allSettled(promises);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
