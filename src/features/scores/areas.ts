/** Cuts a repo into the areas that are graded one by one: its folders, as deep as they tell something. Pure. */

/** Areas that the quality score grades one by one; smaller ones are graded together. */
export const QUALITY_AREAS = 12;

export interface Area {
  /** A folder below the root; "." for files at the root, "other folders" for the smallest together. */
  readonly name: string;
  readonly paths: readonly string[];
}

export const ROOT_AREA = ".";
export const OTHER_AREA = "other folders";

/** A folder with more than this share of all files says nothing by its name: `src`, `packages`. */
const TOO_MUCH = 0.5;

const byText = (a: string, b: string) => a < b ? -1 : a > b ? 1 : 0;

/** The folder one level below `above` that the path lies in; `above` itself for a file right there. */
function nextFolder(path: string, above: string): string {
  const rest = above === ROOT_AREA ? path : path.slice(above.length + 1);
  const cut = rest.indexOf("/");
  if (cut === -1) return above;
  return above === ROOT_AREA ? rest.slice(0, cut) : `${above}/${rest.slice(0, cut)}`;
}

function split(paths: readonly string[], above: string): Map<string, string[]> {
  return Map.groupBy(paths, (path) => nextFolder(path, above));
}

/** By name, the rest last. @param paths of the files that the program is made of */
export function areasOf(paths: readonly string[]): Area[] {
  const areas = split(paths.toSorted(byText), ROOT_AREA);
  for (let again = true; again;) {
    again = false;
    for (const [name, inside] of areas) {
      if (name === ROOT_AREA || inside.length <= paths.length * TOO_MUCH) continue;
      const parts = split(inside, name);
      if (parts.size === 1 && parts.has(name)) continue;
      areas.delete(name);
      for (const [part, some] of parts) areas.set(part, some);
      again = parts.size > 1 || !parts.has(name);
      break;
    }
  }
  const bySize = [...areas].sort(([a, some], [b, others]) =>
    others.length - some.length || byText(a, b)
  );
  const kept = bySize.length <= QUALITY_AREAS ? bySize : bySize.slice(0, QUALITY_AREAS - 1);
  const rest = bySize.slice(kept.length).flatMap(([, some]) => some).sort(byText);
  const named = kept.map(([name, some]) => ({ name, paths: some }))
    .sort((a, b) => byText(a.name, b.name));
  return rest.length === 0 ? named : [...named, { name: OTHER_AREA, paths: rest }];
}
