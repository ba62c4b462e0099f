/** What the limits of the day hold back now: for the engine, its pages, and commands beside a service. */
import type { ClaimLimits } from "svc/core/budget_shape.ts";
import { type ClaimHold, claimHolds } from "svc/features/jobs/claim_limits.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

type HeldPorts = Pick<RuntimePorts, "clock" | "db" | "settings">;

/** @throws Failure `environment` for a config that is not valid */
export async function heldClaims(
  { clock, db, settings }: HeldPorts,
): Promise<readonly ClaimHold[]> {
  return await claimHolds(db, (await settings()).claim_limits, clock.now());
}

/** As `heldClaims`, but reads the config again after `freshMs`, so that a raised limit soon lets jobs begin. */
export function heldClaimsLook(
  { clock, db, settings }: HeldPorts,
  freshMs: number,
): () => Promise<readonly ClaimHold[]> {
  let read: { readonly limits: ClaimLimits; readonly at: number } | undefined;
  return async () => {
    const at = clock.monotonic();
    if (read === undefined || at - read.at >= freshMs) {
      read = { limits: (await settings()).claim_limits, at };
    }
    return await claimHolds(db, read.limits, clock.now());
  };
}
