/** The flags that say what a process may do and as whom, for every command that calls tools, and their check. */
import { SANDBOXES } from "svc/core/execution.ts";
import { Failure } from "svc/core/failure.ts";
import { type Profile, PROFILES } from "svc/core/permission.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { choice, database, on, otherwise, repo, text, type Values } from "./flags.ts";

export const profileFlags = {
  executionProfile: otherwise(
    choice(
      PROFILES,
      "What this process may do: observer only reads; host has all that your user may do and is " +
        "no containment; isolated is unavailable",
    ),
    "observer",
  ),
  acknowledgeHostExecution: on(
    "With --execution-profile host: agents have the full authority of your user; no containment",
  ),
};

export const sandboxFlags = {
  sandbox: choice(
    SANDBOXES,
    "Contain what jobs start, in bubblewrap or not at all (default: execution.sandbox of " +
      "~/.svc/config.yaml, or off)",
  ),
};

/** @throws Failure `refused` for isolated, `answer_needed` for host without the acknowledgement */
export function profileOf(asked: Values<typeof profileFlags>): Exclude<Profile, "isolated"> {
  const profile = asked.executionProfile;
  if (profile === "isolated") {
    throw new Failure("refused", 'Cannot use execution profile "isolated": it is unavailable', {
      remedy:
        "Use --execution-profile observer, which only reads; or host, which is no containment",
    });
  }
  if (profile === "host" && !asked.acknowledgeHostExecution) {
    throw new Failure(
      "answer_needed",
      'Cannot use execution profile "host": it is no containment but the full authority of ' +
        "your user, and that is not acknowledged",
      { remedy: "Add --acknowledge-host-execution, or leave --execution-profile out to only read" },
    );
  }
  return profile;
}

const USUAL_ROLE = "engineer";
const NO_ROLE = "none";

export const sessionFlags = {
  repo,
  role: otherwise(
    text("role", `As which role of the manifest; "${NO_ROLE}": as a session that only reads`, {
      suggest: "roles",
    }),
    USUAL_ROLE,
  ),
  db: database("Database that holds trust and approvals (default: the repo's own)"),
  ...profileFlags,
};

/** The role to act as; undefined without a harness, and for a manifest without the usual role. */
export function roleAsked(manifest: Manifest | undefined, typed: string): string | undefined {
  if (typed === NO_ROLE) return undefined;
  const known = manifest !== undefined && Object.hasOwn(manifest.roles, typed);
  return typed === USUAL_ROLE && !known ? undefined : typed;
}
