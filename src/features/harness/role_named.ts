/** A role of a manifest by its name. */
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "./manifest_path.ts";
import type { Manifest, ManifestRole } from "./manifest_shape.ts";

/** What names the roles where a repo has no harness. */
export const OWN_HARNESS = "svc's own harness";

/** @param source what names the roles, for the error
 * @throws Failure `code` that names the nearest role, or all of them */
export function roleNamed(
  { roles }: Pick<Manifest, "roles">,
  name: string,
  code: "not_found" | "usage" = "not_found",
  source: string = MANIFEST_PATH,
): ManifestRole {
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  if (role !== undefined) return role;
  const names = Object.keys(roles);
  throw new Failure(code, `Cannot find role ${quoted(name)}: ${source} does not name it`, {
    remedy: didYouMean(name, names) || `Its roles are ${names.join(", ")}`,
  });
}
