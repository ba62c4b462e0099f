import assert from "node:assert/strict";
import { findProfile, keepProfile, knownProfile } from "svc/features/models/local/profile_store.ts";
import type { StoredProfile } from "svc/features/models/local/profile_table.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const PROFILE: StoredProfile = {
  endpoint: "http://127.0.0.1:8080/v1",
  model: "qwen",
  fingerprint: "a".repeat(64),
  tools: "native",
  context_window: null,
  usage_reported: 1,
  evidence: "live",
  probed_at: 1,
};

Deno.test("a profile is kept and replaced by endpoint and model, and known before a model is named", async () => {
  await using store = await tempStore();
  const find = (model = "qwen") => findProfile(store.db, PROFILE.endpoint, model);
  assert.equal(await find(), undefined);
  await keepProfile(store.db, PROFILE);
  await keepProfile(store.db, { ...PROFILE, model: "other" });
  const newer: StoredProfile = { ...PROFILE, tools: "text", context_window: 4096, probed_at: 2 };
  await keepProfile(store.db, newer);
  assert.deepEqual({ ...await find() }, newer);
  assert.equal((await find("other"))?.tools, "native");
  const known = (model: string) => knownProfile(store.db, { endpoint: PROFILE.endpoint, model });
  assert.deepEqual({ ...await known("") }, newer);
  assert.equal((await known("other"))?.probed_at, 1);
  assert.equal(await known("missing"), undefined);
});

Deno.test("the database refuses a profile that cannot be", async () => {
  await using store = await tempStore();
  const impossible: Partial<Record<keyof StoredProfile, unknown>>[] = [
    { endpoint: "127.0.0.1:8080" },
    { model: "" },
    { fingerprint: "abc" },
    { tools: "maybe" },
    { context_window: 0 },
    { usage_reported: 2 },
    { evidence: "dead" },
    { probed_at: 0 },
  ];
  for (const other of impossible) {
    const kept = keepProfile(store.db, { ...PROFILE, ...other } as StoredProfile);
    await assert.rejects(kept, /constraint|cannot store/i, JSON.stringify(other));
  }
});
