/** Which documents and code go together, as the tops of both say. */
import { pathGlob } from "svc/core/glob.ts";
import { folderOf } from "svc/core/path_parts.ts";
import { pathFacts } from "svc/features/scanner/path_facts.ts";
import type { AuditedFiles } from "./audited_files.ts";
import type { Finding } from "./finding.ts";

/** One association may cover a whole tree; git takes so many names on its command line. */
const MATCHED_PATHS = 1000;

const isPattern = (path: string) => /[*?[\]{}]/.test(path);

/** Files of a pattern, or the path itself where it is there; paths start at the root. */
export function matched({ has, paths }: AuditedFiles, written: string): string[] {
  const path = written.replace(/^\.?\//, "").replace(/\/$/, "");
  if (!isPattern(path)) return path !== "" && has(path) ? [path] : [];
  return paths.filter(pathGlob(path)).slice(0, MATCHED_PATHS);
}

const everyMetadata = ({ pages, code }: AuditedFiles) =>
  [...pages, ...code].flatMap(({ path, metadata }) =>
    metadata === undefined ? [] : [{ path, metadata }]
  );

export function pathFaults(files: AuditedFiles): Finding[] {
  return everyMetadata(files).flatMap(({ path, metadata }) => {
    const { line } = metadata;
    const faults = metadata.faults.map((fault): Finding => ({
      kind: "metadata-invalid",
      path,
      line,
      title: `The doc-sync metadata cannot be read: ${fault}`,
      fix: "doc-sync: src/a.ts, src/b/; confirmed: 2026-01-31",
    }));
    const gone = metadata.paths.filter((one) => matched(files, one).length === 0);
    return [
      ...faults,
      ...gone.map((one): Finding => ({
        kind: "path-missing",
        path,
        line,
        title: `The doc-sync metadata names "${one}", which is not there`,
        fix: "Name the path as it is now, or remove it",
      })),
    ];
  });
}

/**
 * The same rule as docsync-header-missing: if at least two pages have metadata, and at least as many as lack
 * it, the others should have it too.
 */
export function missingMetadata(files: AuditedFiles): Finding[] {
  const { pages, code, plain } = files;
  const known = described(files);
  const groups = new Map<string, { have: number; lack: string[] }>();
  const count = (path: string, has: boolean) => {
    const kind = `${folderOf(path)}\0${pathFacts(path).language}`;
    const group = groups.get(kind) ?? { have: 0, lack: [] };
    groups.set(kind, group);
    if (has) group.have++;
    else group.lack.push(path);
  };
  for (const { path, metadata } of pages) count(path, metadata !== undefined || known.has(path));
  for (const { path } of code) count(path, true);
  for (const path of plain) count(path, false);
  return [...groups.values()].flatMap(({ have, lack }) =>
    have < 2 || have < lack.length ? [] : lack.map((path): Finding => ({
      kind: "metadata-missing",
      path,
      title: "The file has no doc-sync metadata, as its neighbours have",
      fix: "Name at its top the paths that it goes with",
    }))
  );
}

/** By document, the files and folders that it describes: those it names, and those that name it. */
export function described(files: AuditedFiles): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  const add = (page: string, path: string) => {
    if (page !== path) found.set(page, (found.get(page) ?? new Set()).add(path));
  };
  for (const { path, metadata } of files.pages) {
    for (const one of metadata?.paths ?? []) {
      for (const code of matched(files, one)) add(path, code);
    }
  }
  const pages = new Set(files.pages.map(({ path }) => path));
  for (const { path, metadata } of files.code) {
    for (const one of metadata.paths.flatMap((one) => matched(files, one))) {
      if (pages.has(one)) add(one, path);
    }
  }
  return new Map([...found].map(([page, paths]) => [page, [...paths]]));
}
