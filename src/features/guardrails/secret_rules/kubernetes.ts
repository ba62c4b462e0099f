/** Rules for Kubernetes manifests that hold what belongs into a secret store. */
import { isPlaceholder, isReference } from "svc/features/guardrails/placeholder.ts";
import { isCommon } from "svc/features/guardrails/secret_value.ts";
import type { MatchContext, SecretRule } from "./rule.ts";

/** Characters of a manifest around its `data` in which it says its kind. */
const REACH = 4000;

const KIND = /^[ \t]*["']?kind["']?:[ \t]*["']?secret["']?[ \t,]*$/im;

/** The YAML document (`---`) around the data. */
function manifestAround({ text, index, match }: MatchContext): string {
  const before = text.slice(Math.max(0, index - REACH), index).split(/^---/m).at(-1) ?? "";
  const after = text.slice(index, index + match.length + REACH).split(/^---/m)[0] ?? "";
  return before + after;
}

/** Values of a `data` map; those of `stringData` stand as they are. */
function valuesOf(block: string): string[] {
  return [...block.matchAll(
    /^[ \t]+["']?[\w.-]{1,80}["']?:[ \t]*(?:[|>][+-]?[ \t]*\r?\n[ \t]+)?["']?([^\s"'#{}]{8,4000})["']?[ \t]*$/gm,
  )].map(([, value]) => value!);
}

function decoded(value: string): string | undefined {
  try {
    const text = atob(value);
    return /^[\t\n\r\x20-\x7e]{8,}$/.test(text) ? text.trim() : undefined;
  } catch {
    return undefined; // no base64, so no value of `data`
  }
}

/** Certificates are public, and what a template fills in is not there yet. */
function tells(value: string): boolean {
  if (value.length < 8 || /^-----BEGIN CERTIFICATE/.test(value)) return false;
  return !isReference(value) && !isPlaceholder(value) &&
    !value.split(/[:=]/).every((part) => isCommon(part));
}

export const kubernetesRules = (): readonly SecretRule[] => [{
  id: "kubernetes-secret",
  about: "Values in the manifest of a Kubernetes Secret",
  kind: "context",
  keywords: ["data:"],
  pattern:
    /(?<=\s|^|string)[Dd]ata:[ \t]{0,8}(?<secret>(?:\r?\n(?:[ \t]{1,8}[^\n]{1,3000}|(?=\r?\n))){1,30})/,
  verbatim: true,
  check: (block, around) => {
    const own = /string$/i.test(around.text.slice(Math.max(0, around.index - 6), around.index));
    if (!valuesOf(block).some((value) => tells(own ? value : decoded(value) ?? ""))) return false;
    return KIND.test(manifestAround(around));
  },
  examples: (draw) => {
    const value = btoa(`${draw.base62(14)}${draw.digits(3)}`);
    const plain = `${draw.base62(14)}${draw.digits(3)}`;
    return [
      `apiVersion: v1\nkind: Secret\ndata:\n  extra: ${value}\n`,
      `apiVersion: v1\ndata:\n  # of the account\n  extra: "${value}"\nkind: "Secret"\n`,
      `apiVersion: v1\ndata:\n  .dockercfg: |\n    ${value}\nkind: Secret\n`,
      `kind: Secret\nmetadata:\n  name: a\nstringData:\n  extra: ${plain}\n`,
    ];
  },
  lookalikes: (draw) => [
    "kind: Secret\ndata:\n  extra: {{ .Values.extra }}\n",
    "kind: Secret\ndata:\n  extra: Y2hhbmdlbWU=\n",
    `kind: ConfigMap\ndata:\n  extra: ${draw.lower(14)}\n`,
    `kind: ExternalSecret\nspec:\n  data:\n    - remoteKey: ${draw.lower(14)}\n`,
  ],
}];
