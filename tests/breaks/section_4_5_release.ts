/** Breaks of release notes and of the audit of documents. */
import type { Break } from "./break.ts";

export const SECTION_4_5_RELEASE: readonly Break[] = [
  {
    ids: ["4.5:release-notes:from-semantic-commits"],
    file: "src/features/release/conventional.ts",
    find: 'breaking: mark === "!",',
    put: "breaking: false,",
  },
  {
    ids: ["4.5:release-notes:updates-version", "2.1:release-state:version-and-changelog"],
    file: "src/features/release/plan_notes.ts",
    find: "  await writeVersion(draft, file, to);\n",
    put: "",
  },
  {
    ids: ["4.5:release-notes:prepends-changelog"],
    file: "src/features/release/changelog.ts",
    find: "const at = older?.start ?? entries.at(-1)?.end ?? first;",
    put: "const at = entries.at(-1)?.end ?? first;",
  },
  {
    ids: ["4.5:release-notes:updates-version-constant"],
    file: "src/features/release/plan_notes.ts",
    find: "if (current.length > 0) {",
    put: "if (current.length > 1) {",
  },
  {
    ids: ["4.5:release-notes:repo"],
    file: "src/cli/commands/release/notes.ts",
    find: "asked.repo ?? app.cwd()",
    put: "app.cwd()",
  },
  {
    ids: ["4.5:release-notes:bump-auto"],
    file: "src/features/release/bump.ts",
    find: 'return bump === "major" && current.major === 0 ? "minor" : bump;',
    put: "return bump;",
  },
  {
    ids: ["4.5:release-notes:dry-run"],
    file: "src/cli/commands/release/notes.ts",
    find: "if (asked.dryRun) {",
    put: "if (asked.dryRun && asked.json) {",
  },
  {
    ids: ["4.5:release-backfill-notes:rewrites-history-entries"],
    file: "src/features/release/plan_backfill.ts",
    find: "oldText !== undefined && !await isOwnEntry(oldText)",
    put: "oldText !== undefined && await isOwnEntry(oldText)",
  },
  {
    ids: ["4.5:release-backfill-notes:repo"],
    file: "src/cli/commands/release/backfill_notes.ts",
    find: "asked.repo ?? app.cwd()",
    put: "app.cwd()",
  },
  {
    ids: ["4.5:release-backfill-notes:check"],
    file: "src/cli/commands/release/backfill_notes.ts",
    find: "check && changes.length > 0 ? 1 : 0",
    put: "check && changes.length > 1 ? 1 : 0",
  },
  {
    ids: ["4.5:release-backfill-notes:dry-run"],
    file: "src/cli/commands/release/backfill_notes.ts",
    find: "dry_run: asked.dryRun || asked.check,",
    put: "dry_run: asked.check,",
  },
  {
    ids: ["4.5:release-backfill-notes:min-version"],
    file: "src/features/release/plan_backfill.ts",
    find: "compareSemver(version, min) >= 0",
    put: "compareSemver(version, min) > 0",
  },
  {
    ids: ["4.5:release-backfill-notes:max-version"],
    file: "src/features/release/plan_backfill.ts",
    find: "compareSemver(version, max) <= 0",
    put: "compareSemver(version, max) < 0",
  },
  {
    ids: ["4.5:docsync-audit:checks-metadata"],
    file: "src/features/docsync/stale.ts",
    find: "if (last === undefined || await confirmation.covers(last)) return undefined;",
    put: "return undefined;",
  },
  {
    ids: ["4.5:docsync-audit:checks-doc-paths"],
    file: "src/features/docsync/associations.ts",
    find: "matched(files, one).length === 0);",
    put: 'one === "");',
  },
];
