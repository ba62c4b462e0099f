/** Findings about models, one row for each endpoint and model. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";
import type { ModelProfile } from "svc/features/models/client/model.ts";

export const table = {
  name: "model_profiles",
  columns: {
    endpoint: text(),
    model: text(),
    /** SHA-256 of the model's entry in `/v1/models`, hex; when it changes, the model is probed again. */
    fingerprint: text(),
    tools: text<ModelProfile["tools"]>(),
    context_window: integerOrNull(),
    usage_reported: integer(),
    evidence: text<ModelProfile["evidence"]>(),
    /** Epoch ms. */
    probed_at: integer(),
  },
};
export type StoredProfile = Row<typeof table>;
