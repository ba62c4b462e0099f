/** The roles of a repo's manifest, as choosing a model needs them. */
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest, ManifestRole } from "svc/features/harness/manifest_shape.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { readRepoText } from "./repo_text.ts";

/** @throws Failure `environment` when the repo has no valid manifest */
export async function rolesOf(folder: Pick<Folder, "read">): Promise<Manifest["roles"]> {
  const found = await readRepoText(folder, MANIFEST_PATH, MANIFEST_BYTES);
  if (found !== undefined) return readManifest(found.text).roles;
  throw new Failure("environment", `Cannot read the roles of this repo: no "${MANIFEST_PATH}"`, {
    remedy: "svc init",
  });
}

export function roleIn(roles: Manifest["roles"], name: string): ManifestRole {
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role !== undefined) return role;
  const known = Object.keys(roles);
  const near = didYouMean(name, known);
  throw new Failure(
    "usage",
    `Cannot find role ${quoted(name)} in ${MANIFEST_PATH}. ${near}`.trimEnd(),
    { remedy: `Name one of: ${known.join(", ")}` },
  );
}
