/** Profiles, trust levels and capabilities of the permission model (docs/decisions/0010). */

/** What this process may do (spec section 1, rule 6). `isolated` is unavailable. */
export const PROFILES = ["observer", "host", "isolated"] as const;
export type Profile = typeof PROFILES[number];

export const TRUST_LEVELS = ["observer", "contributor"] as const;
export type TrustLevel = typeof TRUST_LEVELS[number];

export const CAPABILITIES = {
  read: "look at files, tickets and history",
  write: "change files or write tickets and decisions",
  exec: "start a program",
  shell: "start a shell, which may start anything",
  "vcs-write": "commit or push",
  net: "reach another host",
  finish: "end the job; always allowed",
} as const;
export type Capability = keyof typeof CAPABILITIES;
