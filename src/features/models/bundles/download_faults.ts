/** What went wrong in a download, with the way out. */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import { type Artifact, SERVER_ARTIFACT } from "./artifact.ts";

/** Names the bundle: without it setup would download the one that fits this machine best. */
function goesOn({ bundle }: Pick<Artifact, "bundle">): string {
  const line = bundle === SERVER_ARTIFACT
    ? "Run the same svc setup again"
    : `svc setup --inference local --local-bundle ${bundle} --download --yes`;
  return `${line}: it goes on where it was`;
}

export function downloadFault(
  artifact: Pick<Artifact, "bundle" | "identity" | "url">,
  why: string,
  detail: { readonly code?: FailureCode; readonly remedy?: string; readonly cause?: unknown } = {},
): Failure {
  const { identity, url } = artifact;
  const { code = "environment", remedy = goesOn(artifact), cause } = detail;
  const from = new URL(url).host;
  return new Failure(code, `Cannot download "${identity.file}" from ${from}: ${why}`, {
    remedy,
    cause,
  });
}
