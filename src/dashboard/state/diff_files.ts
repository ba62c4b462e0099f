/** The files of a unified diff, with the names that they have after the change. */
import { diffPath } from "svc/core/diff_stat.ts";

export interface DiffFile {
  readonly name: string;
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
}

/** A file begins with `diff --git` (git-diff(1)); text before the first is left out. */
export function filesOf(diff: string): DiffFile[] {
  return diff.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git ")).map(
    (part) => {
      const lines = part.replace(/\n$/, "").split("\n");
      const begin = lines.findIndex((line) => line.startsWith("@@") || line.startsWith("Binary "));
      const body = begin < 0 ? [] : lines.slice(begin);
      return {
        name: diffPath(lines[0]!) ?? lines[0]!.slice("diff --git ".length),
        lines: body,
        added: body.filter((line) => line.startsWith("+")).length,
        removed: body.filter((line) => line.startsWith("-")).length,
      };
    },
  );
}
