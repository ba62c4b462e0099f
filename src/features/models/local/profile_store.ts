/** The only module that writes the `model_profiles` table. */
import { endpointOf } from "svc/features/models/client/endpoint.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import type { Db } from "svc/store/schema.ts";
import type { StoredProfile } from "./profile_table.ts";

export async function keepProfile(db: Db, profile: StoredProfile): Promise<void> {
  await db.insertInto("model_profiles").values(profile)
    .onConflict((same) => same.columns(["endpoint", "model"]).doUpdateSet(profile)).execute();
}

export function findProfile(
  db: Db,
  endpoint: string,
  model: string,
): Promise<StoredProfile | undefined> {
  return db.selectFrom("model_profiles").selectAll()
    .where("endpoint", "=", endpoint).where("model", "=", model).executeTakeFirst();
}

/** The profile that an earlier run found. For a route without a model: the newest at its endpoint. */
export async function knownProfile(
  db: Db,
  { endpoint, model }: Pick<ModelRoute, "endpoint" | "model">,
): Promise<StoredProfile | undefined> {
  const { href } = endpointOf(endpoint, "the model endpoint");
  if (model !== "") return await findProfile(db, href, model);
  return await db.selectFrom("model_profiles").selectAll().where("endpoint", "=", href)
    .orderBy("probed_at", "desc").limit(1).executeTakeFirst();
}

/** Models that svc has asked before, the newest answers first. */
export function knownModels(
  db: Db,
  limit: number,
): Promise<Pick<StoredProfile, "endpoint" | "model">[]> {
  return db.selectFrom("model_profiles").select(["endpoint", "model"])
    .orderBy("probed_at", "desc").limit(limit).execute();
}
