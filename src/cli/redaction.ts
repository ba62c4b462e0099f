/** The redactor every output goes through: values this process knows, and the shapes of secrets. */
import { type Redact, redactor } from "svc/core/redact.ts";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";
import {
  secretsNamedIn,
  secretsOfConfig,
  secretsOfEnv,
} from "svc/features/settings/known_secrets.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";

async function configText(env: Env, files: Pick<Files, "readText">): Promise<string> {
  try {
    return await files.readText(homeOf(env).config, { maxBytes: CONFIG_BYTES });
  } catch (thrown) {
    // Without a readable config svc has learnt no secret from it.
    if (thrown instanceof Failure) return "";
    throw thrown;
  }
}

/** @param hidden values that are secrets though neither the environment nor the config tells of them */
export async function redaction(
  env: Env,
  files: Pick<Files, "readText">,
  hidden: readonly string[] = [],
): Promise<Redact> {
  const config = await configText(env, files);
  const known = [...secretsOfEnv(env), ...secretsOfConfig(config), ...secretsNamedIn(config, env)];
  return redactor([...known, ...hidden], redactSecrets);
}
