/** The checks of a manifest as candidates, each before what else was found for its name. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { CandidateGroup } from "./choose.ts";

export function manifestGroups(
  { project }: Pick<Manifest, "project">,
  found: readonly CandidateGroup[],
): CandidateGroup[] {
  return project.checks.map(({ name, run }) => {
    const line = run.join(" ");
    const others = found.find((group) => group.name === name)?.candidates ?? [];
    const named = others.find((one) => one.run.join(" ") === line);
    const own = { ...named, name, run, source: MANIFEST_PATH };
    return { name, candidates: [own, ...others.filter((one) => one !== named)] };
  });
}
