/** The question to the policy about a tool call, and its answer. */
import type { Capability, Profile, TrustLevel } from "svc/core/permission.ts";

export interface Guardrails {
  readonly denyPaths: readonly string[];
  /** Programs, or beginnings of command lines. */
  readonly denyCommands: readonly string[];
  readonly allowCiRoles?: readonly string[];
  /** Folders, from the root, where git looks for hooks; "" is the root itself. */
  readonly hookFolders?: readonly string[];
  /** Why the present manifest is not valid; until it is, roles may only read. */
  readonly fault?: string;
}

export interface PolicyQuestion {
  readonly profile: Profile;
  readonly roleTrust: TrustLevel;
  /** Trust in the source of the work: a ticket from outside is `observer` until a person moves it. */
  readonly sourceTrust: TrustLevel;
  readonly role: string;
  /** The registered checkout, for the remedy; the current folder by default. */
  readonly repo?: string;
  /** Undefined for a session without a role, which may use every tool. */
  readonly roleTools: readonly string[] | undefined;
  readonly guardrails: Guardrails;
  readonly tool: string;
  readonly capabilities: readonly Capability[];
  /** Paths the call would write; empty when the question is about the tool itself. */
  readonly writes: readonly string[];
  readonly argv: readonly string[];
}

export const POLICY_PARTS = [
  "profile",
  "role_trust",
  "source_trust",
  "role_tools",
  "guardrails",
] as const;
export type PolicyPart = typeof POLICY_PARTS[number];

export type PolicyVerdict =
  | { readonly allowed: true }
  | {
    readonly allowed: false;
    readonly by: PolicyPart;
    readonly reason: string;
    readonly remedy: string;
  };
