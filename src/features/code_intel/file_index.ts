/** Finds the files of a repo that an import names. */
import { nameOf } from "svc/core/path_parts.ts";
import { folderPrefix, type ImportTargets, type Language } from "./language.ts";
import { languageOf } from "./languages/all.ts";

function nearness(one: string, other: string): number {
  const [a, b] = [folderPrefix(one).split("/"), folderPrefix(other).split("/")];
  const apart = a.findIndex((part, at) => part !== b[at]);
  return apart === -1 ? a.length : apart;
}

export interface FileIndex {
  readonly paths: readonly string[];
  /** Files that an import in `from` may mean; none for an external package. */
  resolve(from: string, targets: ImportTargets, language: Language): readonly string[];
}

export function fileIndex(listed: readonly string[]): FileIndex {
  const paths = listed.toSorted();
  const known = new Set(paths);
  const byName = Map.groupBy(paths, nameOf);
  const byFolder = Map.groupBy(paths, folderPrefix);

  function nearest(from: string, found: readonly string[]): readonly string[] {
    const [first] = found.toSorted((a, b) => nearness(from, b) - nearness(from, a));
    return first === undefined ? [] : [first];
  }

  function atEnd(from: string, end: string): readonly string[] {
    const fits = (path: string) => path === end || path.endsWith(`/${end}`);
    return nearest(from, (byName.get(nameOf(end)) ?? []).filter(fits));
  }

  function filesIn(folder: string, language: Language): readonly string[] {
    return (byFolder.get(folder) ?? []).filter((path) => languageOf(path) === language);
  }

  function folderAtEnd(from: string, end: string, language: Language): readonly string[] {
    const folders = byFolder.keys().filter((folder) =>
      folder.endsWith(`/${end}`) || folder === end
    );
    const [folder] = nearest(from, [...folders]);
    return folder === undefined ? [] : filesIn(folder, language);
  }

  return {
    paths,
    resolve(from, { exact, ends }, language) {
      for (const path of exact) {
        const found = path.endsWith("/") ? filesIn(path, language) : known.has(path) ? [path] : [];
        if (found.length > 0) return found;
      }
      for (const end of ends) {
        const found = end.endsWith("/") ? folderAtEnd(from, end, language) : atEnd(from, end);
        if (found.length > 0) return found;
      }
      return [];
    },
  };
}
