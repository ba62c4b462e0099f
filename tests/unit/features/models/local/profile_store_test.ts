import assert from "node:assert/strict";
import {
  findProfile,
  forgetProfile,
  keepProfile,
} from "svc/features/models/local/profile_store.ts";
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

Deno.test("a profile is kept, replaced and forgotten by endpoint and model", async () => {
  await using store = await tempStore();
  const find = (model = "qwen") => findProfile(store.db, PROFILE.endpoint, model);
  assert.equal(await find(), undefined);
  await keepProfile(store.db, PROFILE);
  await keepProfile(store.db, { ...PROFILE, model: "other" });
  const newer: StoredProfile = { ...PROFILE, tools: "text", context_window: 4096, probed_at: 2 };
  await keepProfile(store.db, newer);
  assert.deepEqual({ ...await find() }, newer);
  await forgetProfile(store.db, PROFILE.endpoint, "qwen");
  assert.equal(await find(), undefined);
  assert.notEqual(await find("other"), undefined);
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
