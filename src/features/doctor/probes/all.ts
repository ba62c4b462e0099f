/** Every probe, in the order they are shown. */
import type { Probe } from "svc/features/doctor/probe.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { guardrails } from "./guardrails.ts";
import { heldBack } from "./held_back.ts";
import { homeFolder } from "./home.ts";
import { operatingModel } from "./operating_model.ts";
import { toolchain } from "./toolchain.ts";
import { workflow } from "./workflow.ts";

export const PROBES: readonly Probe[] = [
  toolchain,
  homeFolder,
  config,
  database,
  heldBack,
  guardrails,
  operatingModel,
  workflow,
];
