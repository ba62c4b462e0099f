/** The model of every role for which a repo names none: `models.default` of the user's config. */
import { z } from "zod";
import { MODEL_WINDOW_DECLARED } from "svc/core/bounds.ts";
import { LOCAL_BUNDLES } from "svc/core/local_bundles.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { isOwnCredential, OWN_CREDENTIAL } from "svc/core/own_credentials.ts";

const keyEnv = z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be an environment variable's name")
  .refine((name) => !isOwnCredential(name), {
    error: ({ input }) => `"${input}" ${OWN_CREDENTIAL}; leave it out`,
  });

export const ModelDefault = z.strictObject({
  provider: z.string().regex(/^[a-z][a-z0-9.-]{0,39}$/, "must be a short lower-case name"),
  /** Left out: whatever the endpoint serves. */
  model: z.string().regex(
    /^[A-Za-z0-9][A-Za-z0-9 ._:@/+-]{0,199}$/,
    "must be a model as the provider calls it",
  ).optional(),
  endpoint: z.url({ protocol: /^https?$/, error: "must be an http or https URL" }),
  /** Name of the variable that holds the key; the provider's own by default. */
  api_key_env: keyEnv.optional(),
  /** Tokens; the server may state fewer, and the smaller one counts. */
  context_window: z.int().min(MODEL_WINDOW_DECLARED.min).max(MODEL_WINDOW_DECLARED.max).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  /** Set where the model is this bundle's file, fitted to this machine. */
  bundle: z.enum(LOCAL_BUNDLES).optional(),
});
export type ModelDefault = z.infer<typeof ModelDefault>;
