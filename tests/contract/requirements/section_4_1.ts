/** Promises of spec section 4.1: the HTTP listeners. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_1 = [
  {
    id: "4.1:dashboard-listener:page-and-login-shells",
    section: "4.1",
    promise: "The dashboard listener serves the page and login shells.",
  },
  {
    id: "4.1:dashboard-listener:embedded-assets",
    section: "4.1",
    promise: "The dashboard listener serves assets that are embedded in the binary.",
  },
  {
    id: "4.1:dashboard-listener:controls-and-reads",
    section: "4.1",
    promise:
      "The dashboard listener serves controls and read APIs, and the control listener serves neither.",
  },
  {
    id: "4.1:control-listener:code-host-webhooks",
    section: "4.1",
    promise: "The control listener receives code-host webhooks.",
  },
  {
    id: "4.1:control-listener:issue-tracker-webhooks",
    section: "4.1",
    promise: "The control listener receives issue-tracker webhooks.",
  },
  {
    id: "4.1:start:ephemeral-port-fallback",
    section: "4.1",
    promise:
      "Scoped `start` with default addresses takes an ephemeral local port when a port is occupied.",
  },
  {
    id: "4.1:start:no-fallback-for-given-address",
    section: "4.1",
    promise: "Scoped `start` does not replace an occupied address that was given by flag.",
  },
  {
    id: "4.1:start:prints-dashboard-url",
    section: "4.1",
    promise: "The running command prints the final dashboard URL.",
  },
  {
    id: "4.1:trusted-origin:environment",
    section: "4.1",
    promise:
      "`SVC_DASHBOARD_TRUSTED_ORIGIN` sets the reverse-proxy origin that the dashboard trusts.",
  },
  {
    id: "4.1:trusted-origin:exact-https",
    section: "4.1",
    promise: "A trusted origin that is not an exact HTTPS origin is refused.",
  },
  {
    id: "4.1:trusted-origin:stays-on-loopback",
    section: "4.1",
    promise: "The service stays on loopback when a trusted origin is configured.",
  },
  {
    id: "4.1:trusted-origin:forwarded-headers-ignored",
    section: "4.1",
    promise: "Forwarded headers change nothing about how a request is judged.",
  },
] as const satisfies readonly Requirement[];
