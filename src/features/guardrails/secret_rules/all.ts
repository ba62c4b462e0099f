/** All secret rules, the most specific families first. */
import { CLOUD_RULES } from "./cloud.ts";
import { PLATFORM_RULES } from "./cloud_platforms.ts";
import { CODE_HOST_RULES } from "./code_hosts.ts";
import { CONNECTION_RULES } from "./connections.ts";
import { GENERIC_RULES } from "./generic.ts";
import { KEY_RULES } from "./keys.ts";
import { KUBERNETES_RULES } from "./kubernetes.ts";
import { MESSAGING_RULES } from "./messaging.ts";
import { MODEL_RULES } from "./models.ts";
import { OBSERVABILITY_RULES } from "./observability.ts";
import { PACKAGE_RULES } from "./packages.ts";
import { PAYMENT_RULES } from "./payments.ts";
import type { SecretRule } from "./rule.ts";
import { SAAS_RULES } from "./saas.ts";
import { NAMED_SAAS_RULES } from "./saas_named.ts";

/** When two rules find the same secret, the kind decides, then the order of this list. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...KEY_RULES,
  ...CODE_HOST_RULES,
  ...CLOUD_RULES,
  ...PLATFORM_RULES,
  ...MODEL_RULES,
  ...PAYMENT_RULES,
  ...MESSAGING_RULES,
  ...PACKAGE_RULES,
  ...OBSERVABILITY_RULES,
  ...SAAS_RULES,
  ...NAMED_SAAS_RULES,
  ...CONNECTION_RULES,
  ...KUBERNETES_RULES,
  ...GENERIC_RULES,
];
