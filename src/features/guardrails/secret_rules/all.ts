/** All secret rules, the most specific families first. */
import { cloudRules } from "./cloud.ts";
import { platformRules } from "./cloud_platforms.ts";
import { codeHostRules } from "./code_hosts.ts";
import { connectionRules } from "./connections.ts";
import { genericRules } from "./generic.ts";
import { keyRules } from "./keys.ts";
import { kubernetesRules } from "./kubernetes.ts";
import { messagingRules } from "./messaging.ts";
import { modelRules } from "./models.ts";
import { observabilityRules } from "./observability.ts";
import { packageRules } from "./packages.ts";
import { paymentRules } from "./payments.ts";
import type { SecretRule } from "./rule.ts";
import { saasRules } from "./saas.ts";
import { namedSaasRules } from "./saas_named.ts";

let rules: readonly SecretRule[] | undefined;

/**
 * When two rules find the same secret, the kind decides, then the order of this list. Made at the first call:
 * most starts search no text, and making them takes some 3 ms a thread.
 */
export const secretRules = (): readonly SecretRule[] =>
  rules ??= [
    ...keyRules(),
    ...codeHostRules(),
    ...cloudRules(),
    ...platformRules(),
    ...modelRules(),
    ...paymentRules(),
    ...messagingRules(),
    ...packageRules(),
    ...observabilityRules(),
    ...saasRules(),
    ...namedSaasRules(),
    ...connectionRules(),
    ...kubernetesRules(),
    ...genericRules(),
  ];
