/** Failures of a preflight; each names `svc setup` or a real `--model-endpoint` as remedy (spec 7). */
import { Failure } from "svc/core/failure.ts";
import { nearest } from "svc/core/nearest.ts";
import {
  ANY_MODEL,
  isLocal,
  modelFault,
  type ModelTarget,
  pullRemedy,
} from "svc/features/models/client/faults.ts";
import type { ModelFault } from "svc/features/models/client/model.ts";
import type { ModelEntry } from "./model_list.ts";

const NAMED = 8;

function ways(target: ModelTarget, first: string): string {
  const setUp = isLocal(target) ? "run svc setup, or " : "";
  return `${first}; ${setUp}give a real --model-endpoint`;
}

export function unusable(target: ModelTarget, fault: ModelFault): Failure {
  const code = fault.kind === "cancelled" ? "interrupted" : "environment";
  return new Failure(code, fault.message, {
    cause: fault,
    remedy: ways(target, fault.detail.remedy),
    ...(fault.detail.retryAfterMs !== undefined && {
      retryAfterSecs: Math.ceil(fault.detail.retryAfterMs / 1000),
    }),
  });
}

export function missing(target: ModelTarget, entries: readonly ModelEntry[]): Failure {
  const ids = entries.map(({ id }) => id);
  const near = nearest(target.model, ids);
  const named = [...near, ...ids.filter((id) => !near.includes(id))].slice(0, NAMED);
  const list = named.map((id) => JSON.stringify(id)).join(", ");
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : "";
  const has = ids.length === 0 ? "it has none" : `it has ${list}${more}`;
  const which = target.model === ANY_MODEL ? "a model" : `the model "${target.model}"`;
  const message = `Cannot use ${which} at "${target.endpoint}": ${has}`;
  const cause = modelFault(target, "not_found", has);
  return new Failure("environment", message, { cause, remedy: ways(target, pullRemedy(target)) });
}

/** The endpoint lists no models: its path is wrong, or it is a server that has no list. */
export function unlisted(target: ModelTarget, why: string, thrown: unknown): Failure {
  const message = `Cannot list the models at "${target.endpoint}": ${why}`;
  const cause = modelFault(target, "not_found", why, { cause: thrown });
  const usual = `${new URL(target.endpoint).origin}/v1`;
  const base = target.endpoint === usual
    ? "Give the base URL that the server's documents name"
    : `Give the base URL, such as ${usual}`;
  const first = target.model === ANY_MODEL
    ? `${base}; or, where the server has no list, name the model: ${target.endpoint}#<model>`
    : base;
  return new Failure("environment", message, { cause, remedy: ways(target, first) });
}
