/** Work that is done at the same time and fails as if it had been done one after the other. */

/**
 * Waits until every promise has come to its end, so that nothing goes on behind a failure.
 * @throws what the first one that failed threw, in the order given and not of time
 */
export async function together<T extends readonly unknown[]>(
  ...promises: { readonly [K in keyof T]: Promise<T[K]> }
): Promise<T> {
  const ends = await Promise.allSettled(promises);
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
