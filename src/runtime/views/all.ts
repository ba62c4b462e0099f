/** Every read of the dashboard, in the order of its documents. */
import { costsRead } from "./costs_view.ts";
import { debugRead } from "./debug_view.ts";
import { decisionsRead } from "./decisions_view.ts";
import { evolutionRead } from "./evolution_view.ts";
import { jobRead } from "./job_view.ts";
import { jobTraceRead, jobTraceTextRead } from "./job_trace_view.ts";
import { jobsRead } from "./jobs_view.ts";
import { orchestrationRead } from "./orchestration_view.ts";
import { pipelineRead } from "./pipeline_view.ts";
import { qualityRead } from "./quality_view.ts";
import type { AnyRead, QueryKind, QueryOf } from "./read.ts";
import { repoRolesRead, reposRead } from "./repos_view.ts";
import { reviewRead } from "./review_view.ts";
import { rolesRead } from "./roles_view.ts";
import { telemetryRead } from "./telemetry_view.ts";
import { throughputRead } from "./throughput_view.ts";
import { ticketRead } from "./ticket_view.ts";
import { ticketTemplatesRead } from "./ticket_templates_view.ts";
import { ticketsRead } from "./tickets_view.ts";

export const READS = [
  reposRead,
  repoRolesRead,
  telemetryRead,
  evolutionRead,
  rolesRead,
  qualityRead,
  throughputRead,
  costsRead,
  orchestrationRead,
  decisionsRead,
  pipelineRead,
  jobsRead,
  jobRead,
  jobTraceRead,
  jobTraceTextRead,
  ticketRead,
  ticketsRead,
  ticketTemplatesRead,
  reviewRead,
  debugRead,
] as const satisfies readonly AnyRead[];

type DeclaredRead = typeof READS[number];

type QueryArgument<Q extends QueryKind> = Record<never, never> extends QueryOf<Q>
  ? [query?: QueryOf<Q>]
  : [query: QueryOf<Q>];

/**
 * The functions behind the routes; a dashboard that was created without one answers 501 on its route (spec
 * section 4.3).
 */
export type Reads = {
  readonly [R in DeclaredRead as R["name"]]: (
    ...query: QueryArgument<R["query"]>
  ) => ReturnType<R["read"]>;
};
