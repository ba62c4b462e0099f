/** What was found out about models, one row for each endpoint and model. */
import type { Table } from "svc/store/columns.ts";
import type { ModelProfile } from "svc/features/models/client/model.ts";

export interface ModelProfileTable {
  /** Base URL, as `endpointOf` spells it. */
  endpoint: string;
  model: string;
  /** SHA-256 of the model's entry in `/v1/models`, hex: another one asks for another probe. */
  fingerprint: string;
  tools: ModelProfile["tools"];
  /** Tokens, as the server says; null where it does not. */
  context_window: number | null;
  /** 1 where the server counts tokens. */
  usage_reported: number;
  evidence: ModelProfile["evidence"];
  /** Epoch ms. */
  probed_at: number;
}
export type StoredProfile = ModelProfileTable;

export const table: Table<ModelProfileTable> = {
  name: "model_profiles",
  columns: {
    endpoint: "TEXT NOT NULL",
    model: "TEXT NOT NULL",
    fingerprint: "TEXT NOT NULL",
    tools: "TEXT NOT NULL",
    context_window: "INTEGER",
    usage_reported: "INTEGER NOT NULL",
    evidence: "TEXT NOT NULL",
    probed_at: "INTEGER NOT NULL",
  },
};
