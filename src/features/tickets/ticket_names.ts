/** The closed lists of a ticket's fields; apart from their shape, which loads zod. */
export const TICKET_TYPES = ["feature", "bug", "debt", "docs", "hygiene", "question"] as const;
export const PRIORITIES = ["p0", "p1", "p2", "p3"] as const;

/** Perhaps nobody with write access has seen such a ticket. */
export function isFromOutside(source: string): boolean {
  return source.startsWith("webhook:");
}
