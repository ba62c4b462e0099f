/** What a run before found out about a route's model; nobody is asked. */
import type { Db } from "svc/store/schema.ts";
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { findProfile } from "./profile_store.ts";
import type { StoredProfile } from "./profile_table.ts";

/** Of a route that names no model: the one that was found at its endpoint last. */
export async function knownProfile(
  db: Db,
  { endpoint, model }: Pick<ModelRoute, "endpoint" | "model">,
): Promise<StoredProfile | undefined> {
  const { href } = endpointOf(endpoint, "the model endpoint");
  if (model !== "") return await findProfile(db, href, model);
  return await db.selectFrom("model_profiles").selectAll().where("endpoint", "=", href)
    .orderBy("probed_at", "desc").limit(1).executeTakeFirst();
}
