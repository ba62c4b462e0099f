/** What the tools commands share: as whom they ask, and the tools of a repo as they stand. */
import type { App } from "svc/app.ts";
import { otherwise, path, repo, text } from "svc/cli/flags.ts";
import { profileFlags } from "svc/cli/profile_flags.ts";
import type { TrustPlace } from "svc/cli/trust_place.ts";
import type { ListedCustomTool } from "svc/features/tools/custom/make.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";
import { isToolApproved } from "svc/features/tools/custom/approval_store.ts";

export const USUAL_ROLE = "engineer";
export const NO_ROLE = "none";

export const sessionFlags = {
  repo,
  role: otherwise(
    text("role", `As which role of the manifest; "${NO_ROLE}": as a session that only reads`, {
      suggest: "roles",
    }),
    USUAL_ROLE,
  ),
  db: path("file", "Database that holds trust and approvals (default: the repo's own)"),
  ...profileFlags,
};

/** The role that is asked as; undefined without a harness, and for a manifest without the usual one. */
export function roleOf(manifest: TrustPlace["manifest"], asked: string): string | undefined {
  if (asked === NO_ROLE) return undefined;
  const known = manifest !== undefined && Object.hasOwn(manifest.roles, asked);
  return asked === USUAL_ROLE && !known ? undefined : asked;
}

/** The repo's own tools; approvals are read anew. */
export async function customToolsIn(
  app: Pick<App, "folder" | "load">,
  { root, id, store }: Pick<TrustPlace, "id" | "root" | "store">,
): Promise<{ readonly tools: readonly AnyTool[]; readonly listed: readonly ListedCustomTool[] }> {
  const { customTools } = await app.load("src/features/tools/custom/make");
  using folder = await app.folder(root);
  return await customTools(
    folder,
    async (name, sha256) =>
      store !== undefined && await isToolApproved(store.db, { repo_id: id, name, sha256 }),
  );
}
