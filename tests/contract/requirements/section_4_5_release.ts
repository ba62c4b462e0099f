/** Promises of spec section 4.5: `release`, `docsync` and `validation`. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_5_RELEASE = [
  {
    id: "4.5:release-notes:from-semantic-commits",
    section: "4.5",
    promise: "`release notes` generates semantic-versioned notes from semantic commits.",
  },
  {
    id: "4.5:release-notes:updates-version",
    section: "4.5",
    promise: "`release notes` updates `VERSION`.",
  },
  {
    id: "4.5:release-notes:prepends-changelog",
    section: "4.5",
    promise: "`release notes` prepends its entry to `CHANGELOG.md`.",
  },
  {
    id: "4.5:release-notes:updates-version-constant",
    section: "4.5",
    promise: "`release notes` updates the version constant file in the source repo.",
  },
  {
    id: "4.5:release-notes:repo",
    section: "4.5",
    promise: "`release notes --repo` works on the given repo.",
  },
  {
    id: "4.5:release-notes:bump-auto",
    section: "4.5",
    promise: "`release notes --bump auto` derives the bump from the commits.",
  },
  {
    id: "4.5:release-notes:dry-run",
    section: "4.5",
    promise: "`release notes --dry-run` shows the notes and writes nothing.",
  },
  {
    id: "4.5:release-backfill-notes:rewrites-history-entries",
    section: "4.5",
    promise: "`release backfill-notes` rewrites the historical entries.",
  },
  {
    id: "4.5:release-backfill-notes:repo",
    section: "4.5",
    promise: "`release backfill-notes --repo` works on the given repo.",
  },
  {
    id: "4.5:release-backfill-notes:check",
    section: "4.5",
    promise:
      "`release backfill-notes --check` fails when an entry would change, and writes nothing.",
  },
  {
    id: "4.5:release-backfill-notes:dry-run",
    section: "4.5",
    promise: "`release backfill-notes --dry-run` shows the entries and writes nothing.",
  },
  {
    id: "4.5:release-backfill-notes:min-version",
    section: "4.5",
    promise: "`release backfill-notes --min-version` leaves older entries alone.",
  },
  {
    id: "4.5:release-backfill-notes:max-version",
    section: "4.5",
    promise: "`release backfill-notes --max-version` leaves newer entries alone.",
  },
  {
    id: "4.5:release-verify-assets:unknown",
    section: "4.5",
    promise: "`release verify-assets` is an unknown command.",
  },
  {
    id: "4.5:release-audit:unknown",
    section: "4.5",
    promise: "`release audit` is an unknown command.",
  },
  {
    id: "4.5:docsync-audit:checks-metadata",
    section: "4.5",
    promise: "`docsync audit` checks the doc-sync metadata at the top of files.",
  },
  {
    id: "4.5:docsync-audit:checks-doc-paths",
    section: "4.5",
    promise: "`docsync audit` checks that the associated doc paths exist.",
  },
  {
    id: "4.5:validation-agent-smoke:runs-roles",
    section: "4.5",
    promise: "`validation agent-smoke` runs role smoke tests.",
  },
  {
    id: "4.5:validation-agent-smoke:ephemeral-targets",
    section: "4.5",
    promise: "`validation agent-smoke` runs against ephemeral validation targets.",
  },
] as const satisfies readonly Requirement[];
