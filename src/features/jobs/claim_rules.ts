/** Which waiting jobs a claim may take, as conditions on the job `due`. */
import type { Profile } from "svc/core/permission.ts";
import { type RawBuilder, sql } from "svc/store/query.ts";
import { withinLimits } from "./job_limit_store.ts";

export interface Claim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs?: number;
  readonly repoIds?: readonly string[];
  readonly profile?: Profile;
  readonly jobId?: string;
  /** Lanes of roles that are held back, as `roleLane` names them. */
  readonly heldRoles?: readonly string[];
  /** Id of the node that claims; undefined where the database is a file. */
  readonly node?: string | undefined;
  /** With `node`: what it can do, such as `tag:gpu`. */
  readonly abilities?: readonly string[];
  /**
   * There are limits: on a server claims then take turns, as two at once could both be the last. A file has one
   * writer anyway.
   */
  readonly limited?: boolean;
}

const among = (values: readonly string[]) =>
  sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

/** A job that a person starts by hand runs here and now, whatever its role needs and others take. */
export function claimRules(
  { repoIds, profile, jobId, heldRoles = [], node, abilities }: Claim,
): RawBuilder<unknown> {
  const rules = [
    repoIds && sql`AND CASE WHEN due.repo_id IN ${among(repoIds)} THEN 1 END = 1`,
    profile && sql`AND due.profile = ${profile}`,
    heldRoles.length > 0 && sql`AND due.repo_id || '/' || due.role NOT IN ${among(heldRoles)}`,
    abilities &&
    sql`AND (due.needs IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(due.needs) AS need
      WHERE need.value NOT IN ${among(abilities)}))`,
    jobId === undefined ? sql`AND ${withinLimits(node)}` : sql`AND due.id = ${jobId}`,
  ];
  return sql.join(rules.filter((rule) => !!rule), sql` `);
}
