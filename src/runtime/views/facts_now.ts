/**
 * What a service on this database would know about all jobs (pause, limits, held lanes), read without a
 * service.
 */
import { Failure } from "svc/core/failure.ts";
import { ownersLife } from "svc/features/jobs/owner.ts";
import { livingServices } from "svc/features/jobs/service_store.ts";
import type { OwnerPorts, RuntimePorts } from "svc/runtime/ports.ts";
import { heldClaims } from "svc/runtime/service/held_claims.ts";
import { type ServiceFacts, serviceFacts } from "./board_facts.ts";
import type { ViewPorts } from "./view_ports.ts";

/** Whether claims are paused comes from the database; the profile is host, which is what a person asks about. */
export const NO_SERVICE = {
  profile: "host",
  condition: "running",
  claims: "claiming",
  concurrency: 1,
  reason: undefined,
  running: [],
  holds: [],
} as const satisfies Parameters<typeof serviceFacts>[1];

export type FactPorts =
  & Pick<ViewPorts, "clock" | "db" | "home">
  & Pick<OwnerPorts, "identities">
  & Pick<RuntimePorts, "settings">;

/** A service claims nothing while it cannot read its limits, and says why. */
async function limitsSay(ports: FactPorts) {
  try {
    return { holds: await heldClaims(ports) };
  } catch (thrown) {
    const { code, message } = Failure.from(thrown);
    if (code === "internal") throw thrown;
    return { claims: "paused", reason: message } as const;
  }
}

export async function factsNow(ports: FactPorts): Promise<ServiceFacts> {
  const [limits, living] = await Promise.all([
    limitsSay(ports),
    livingServices(ports.db, ownersLife(ports.identities)),
  ]);
  const condition = living.length === 0 ? "stopped" : "running";
  const said = { ...NO_SERVICE, ...limits, condition } as const;
  return await serviceFacts(ports, said, ports.clock.now());
}
