/** What went wrong in a download, with the way out. */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import type { Artifact } from "./artifact.ts";

export const GO_ON = "svc setup --download --yes: it goes on where it was";

export function downloadFault(
  { identity, url }: Pick<Artifact, "identity" | "url">,
  why: string,
  detail: { readonly code?: FailureCode; readonly remedy?: string; readonly cause?: unknown } = {},
): Failure {
  const { code = "environment", remedy = GO_ON, cause } = detail;
  const from = new URL(url).host;
  return new Failure(code, `Cannot download "${identity.file}" from ${from}: ${why}`, {
    remedy,
    cause,
  });
}
