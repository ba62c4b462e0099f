/** What the policy is asked for each tool call, and what it answers. */
import type { Capability, Profile, TrustLevel } from "svc/core/permission.ts";

export interface Guardrails {
  /** Globs of paths that no role writes. */
  readonly denyPaths: readonly string[];
  /** Programs, or starts of command lines, that no role runs. */
  readonly denyCommands: readonly string[];
  /** Roles that may write CI files; nobody unless said. */
  readonly allowCiRoles?: readonly string[];
  /** Folders, from the root, where git looks for hooks; "" is the root itself. */
  readonly hookFolders?: readonly string[];
  /** Why the manifest as it is now does not count; until it does, roles only read. */
  readonly fault?: string;
}

export interface PolicyQuestion {
  readonly profile: Profile;
  /** Of this role on this repo, now. */
  readonly roleTrust: TrustLevel;
  /** Of whoever asked for the work: a ticket from outside is `observer` until a person moves it. */
  readonly sourceTrust: TrustLevel;
  readonly role: string;
  /** Path of the registered checkout, for the remedy; the current folder unless said. */
  readonly repo?: string;
  /** The role's allow-list; undefined for a session without a role, which has every tool. */
  readonly roleTools: readonly string[] | undefined;
  readonly guardrails: Guardrails;
  readonly tool: string;
  /** All that the call needs. */
  readonly capabilities: readonly Capability[];
  /** Paths it would write; empty when only the tool itself is asked about. */
  readonly writes: readonly string[];
  readonly argv: readonly string[];
}

/** The parts of the policy, in the order they are asked. */
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
    /** The first part that says no. */
    readonly by: PolicyPart;
    readonly reason: string;
    /** What would change it. */
    readonly remedy: string;
  };
