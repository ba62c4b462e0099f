/** The role of a ticket as a person types it. */
import type { App } from "svc/app.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { manifestOf } from "svc/runtime/start/prepare_repo.ts";

/**
 * Without a manifest that can be read every name counts: tickets may be there before a harness.
 * @throws Failure `usage` for a role that the manifest does not name
 */
export async function mustNameRole(app: App, root: string, role: string): Promise<void> {
  const manifest = await manifestOf(app, root).catch(() => undefined);
  if (manifest !== undefined) roleNamed(manifest, role, "usage");
}
