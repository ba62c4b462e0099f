/** The roles of a repo's manifest, as far as choosing a model asks for them. */
import { Failure } from "svc/core/failure.ts";
import { manifestIn } from "svc/features/harness/manifest.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Folder } from "svc/platform/files/folder.ts";

/** @throws Failure `environment` when the repo has no valid manifest */
export async function rolesOf(folder: Pick<Folder, "read">): Promise<Manifest["roles"]> {
  const manifest = await manifestIn(folder);
  if (manifest !== undefined) return manifest.roles;
  throw new Failure("environment", `Cannot read the roles of this repo: no "${MANIFEST_PATH}"`, {
    remedy: "svc init",
  });
}
