/** What an audit finds, and how serious data calls it. */

export const FINDING_KINDS = [
  "metadata-missing",
  "metadata-invalid",
  "path-missing",
  "stale",
  "link-dead",
  "anchor-dead",
  "command-unknown",
  "flag-unknown",
] as const;

export interface Finding {
  readonly kind: typeof FINDING_KINDS[number];
  readonly path: string;
  readonly line?: number;
  readonly title: string;
  readonly fix: string;
}
