/** Documents whose code has a newer commit than their confirmation. */
import { Failure } from "svc/core/failure.ts";
import type { LastChange } from "svc/platform/git/releases.ts";
import { described } from "./associations.ts";
import type { AuditedFiles, AuditQuery } from "./audited_files.ts";
import type { Finding } from "./finding.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Each asks git twice; more at a time are no faster. */
const AT_ONCE = 4;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

interface Confirmation {
  readonly by: string;
  readonly covers: (change: LastChange) => boolean | Promise<boolean>;
}

/** A whole day counts to its end. */
function byTime(written: string): Confirmation {
  const end = Date.parse(written) + (written.includes("T") ? 0 : DAY_MS - 1);
  return { by: `confirmed on ${written}`, covers: ({ committed_at }) => committed_at <= end };
}

/** A rebase or a squash may have left it out. */
async function isCommit(repo: AuditQuery["repo"], ref: string): Promise<boolean> {
  try {
    return (await repo.log({ max: 1, ref })).length > 0;
  } catch (thrown) {
    if (Failure.from(thrown).code !== "environment") throw thrown;
    return false;
  }
}

async function confirmationOf(
  path: string,
  confirmed: string | undefined,
  { repo, changed }: { readonly repo: AuditQuery["repo"]; readonly changed: ReadonlySet<string> },
): Promise<Confirmation | "gone" | undefined> {
  if (confirmed !== undefined && !/^[0-9a-f]+$/.test(confirmed)) return byTime(confirmed);
  if (confirmed !== undefined) {
    if (!await isCommit(repo, confirmed)) return "gone";
    const covers = async ({ id }: LastChange) => await repo.mergeBase(id, confirmed) === id;
    return { by: `confirmed at ${confirmed.slice(0, 12)}`, covers };
  }
  // Whoever edits the page now is about to confirm it.
  if (changed.has(path)) return undefined;
  const own = await repo.lastChange([path]);
  if (own === undefined) return undefined;
  return {
    by: `last changed on ${dayOf(own.committed_at)}`,
    covers: ({ id, committed_at }) => id === own.id || committed_at <= own.committed_at,
  };
}

async function staleFinding(
  path: string,
  paths: readonly string[],
  { files, query, changed }: {
    readonly files: AuditedFiles;
    readonly query: AuditQuery;
    readonly changed: ReadonlySet<string>;
  },
): Promise<Finding | undefined> {
  const metadata = files.pages.find((page) => page.path === path)?.metadata;
  if (metadata?.skip.includes("stale")) return undefined;
  const { repo } = query;
  const confirmation = await confirmationOf(path, metadata?.confirmed, { repo, changed });
  if (confirmation === "gone") {
    return {
      kind: "metadata-invalid",
      path,
      line: metadata!.line,
      title: `The doc-sync metadata is confirmed at "${
        metadata!.confirmed
      }", which is no commit of this repo`,
      fix: `Read both; then set confirmed: ${dayOf(query.now)}`,
    };
  }
  if (confirmation === undefined) return undefined;
  const last = await repo.lastChange(paths);
  if (last === undefined || await confirmation.covers(last)) return undefined;
  const newest = paths.length === 1 ? `"${paths[0]}"` : await newestOf(query, paths, last);
  return {
    kind: "stale",
    path,
    ...(metadata && { line: metadata.line }),
    title: `${newest} changed on ${dayOf(last.committed_at)} (${last.id.slice(0, 12)}); ` +
      `the page was ${confirmation.by}`,
    fix: `Read both; mend the page, or set confirmed: ${dayOf(query.now)} in its metadata`,
  };
}

async function newestOf(
  { repo }: AuditQuery,
  paths: readonly string[],
  last: LastChange,
): Promise<string> {
  for (const path of paths.slice(0, 50)) {
    if ((await repo.lastChange([path]))?.id === last.id) return `"${path}"`;
  }
  return `one of ${paths.length} files`;
}

export async function staleFindings(
  files: AuditedFiles,
  query: AuditQuery,
): Promise<Finding[]> {
  const pages = [...described(files)];
  if (pages.length === 0) return [];
  const { changes } = await query.repo.status();
  const changed = new Set(changes.map(({ path }) => path));
  const findings: Finding[] = [];
  for (let at = 0; at < pages.length; at += AT_ONCE) {
    const found = await Promise.all(
      pages.slice(at, at + AT_ONCE).map(([path, paths]) =>
        staleFinding(path, paths, { files, query, changed })
      ),
    );
    findings.push(...found.filter((finding) => finding !== undefined));
  }
  return findings;
}
