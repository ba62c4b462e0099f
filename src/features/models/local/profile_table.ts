/** What was found out about models, one row for each endpoint and model. */
import { integer, integerOrNull, type Row, text } from "svc/store/columns.ts";
import type { ModelProfile } from "svc/features/models/client/model.ts";

export const table = {
  name: "model_profiles",
  columns: {
    /** Base URL, as `endpointOf` spells it. */
    endpoint: text(),
    model: text(),
    /** SHA-256 of the model's entry in `/v1/models`, hex: another one asks for another probe. */
    fingerprint: text(),
    tools: text<ModelProfile["tools"]>(),
    /** Tokens, as the server says; null where it does not. */
    context_window: integerOrNull(),
    /** 1 where the server counts tokens. */
    usage_reported: integer(),
    evidence: text<ModelProfile["evidence"]>(),
    /** Epoch ms. */
    probed_at: integer(),
  },
};
export type StoredProfile = Row<typeof table>;
