/** The closed lists of a ticket's fields; apart from their shape, which loads zod. */
export const TICKET_TYPES = ["feature", "bug", "debt", "docs", "hygiene", "question"] as const;
export const PRIORITIES = ["p0", "p1", "p2", "p3"] as const;

/** Perhaps nobody with write access has seen such a ticket. */
export function isFromOutside(source: string): boolean {
  return source.startsWith("webhook:");
}

/** Roles only read for such a ticket, and svc hands it out to none. */
export function needsVouching(
  { source, vouched }: { readonly source: string; readonly vouched?: string | undefined },
): boolean {
  return vouched === undefined && isFromOutside(source);
}

/** The fingerprint of a ticket that a person asked for under a name. @param digest of all that was asked */
export function requestFingerprint(request: string, digest: string): string {
  return `request:${request}:${digest}`;
}

export function ticketOfRequest(fingerprint: string | undefined, request: string): boolean {
  return fingerprint?.startsWith(requestFingerprint(request, "")) === true;
}

/** The part that two fingerprints of the same thing share; `lasting`: also when its ticket is done. */
export function sameThing(
  fingerprint: string,
): { readonly key: string; readonly lasting: boolean } {
  const key = /^request:[\w-]+/.exec(fingerprint)?.[0];
  return { key: key ?? fingerprint, lasting: key !== undefined };
}
