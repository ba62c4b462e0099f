/** The download plan as a person reads it before they agree, and as programs get it. */
import type { z } from "zod";
import { bytesText } from "svc/features/models/bundles/progress.ts";
import type { DownloadPlan } from "svc/features/models/bundles/plan.ts";

export const planShape = (zod: typeof z) =>
  zod.strictObject({
    /** By bundle, repo and file; only what is missing here. */
    artifacts: zod.array(zod.strictObject({
      bundle: zod.string(),
      identity: zod.strictObject({
        repo: zod.string(),
        revision: zod.string(),
        file: zod.string(),
        sha256: zod.string(),
      }),
      bytes: zod.int(),
      license: zod.strictObject({ id: zod.string(), url: zod.string() }),
      terms_url: zod.string(),
      notice_url: zod.string(),
      url: zod.string(),
      path: zod.string(),
      /** Bytes that are there from an earlier download. */
      have: zod.int(),
    })),
    /** Still to come over the network. */
    bytes: zod.int(),
  });

/** A fresh copy, which nothing else changes. */
export const planned = ({ artifacts, bytes }: DownloadPlan) => ({
  artifacts: artifacts.map(({ identity, license, ...rest }) => ({
    ...rest,
    identity: { ...identity },
    license: { ...license },
  })),
  bytes,
});

export function planLines({ artifacts, bytes }: DownloadPlan): string[] {
  const lines = artifacts.flatMap(
    ({ bundle, identity, bytes, have, license, terms_url, notice_url, url, path }) => [
      `${bundle}: ${identity.file}`,
      `  from     ${identity.repo} at ${identity.revision}`,
      `  address  ${url}`,
      `  bytes    ${bytes} (${bytesText(bytes)})${have === 0 ? "" : `, ${have} of them are here`}`,
      `  sha256   ${identity.sha256}`,
      `  license  ${license.id} ${license.url}`,
      `  terms    ${terms_url}`,
      `  notice   ${notice_url}`,
      `  to       ${path}`,
    ],
  );
  return [...lines, `${bytesText(bytes)} to download`];
}
