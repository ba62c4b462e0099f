/** Which waiting jobs a claim may take, as conditions on the job `due`. */
import { STORED_WAIT_MS } from "svc/core/bounds.ts";
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

type Rule = RawBuilder<unknown>;

const among = (values: readonly string[]) =>
  sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`;

const all = (rules: readonly (Rule | false | undefined)[]): Rule =>
  sql.join(rules.filter((rule) => !!rule), sql` AND `);

/** As `isDue` says for a job that was read. */
export const isWaiting = (now: Rule): Rule =>
  sql`due.status = 'pending' AND (due.run_after <= ${now} OR due.run_after = due.created_at
    OR due.run_after > ${now} + ${sql.raw(String(STORED_WAIT_MS))})`;

const notPaused = sql`NOT EXISTS (SELECT 1 FROM queue_state WHERE paused = 1)`;

const ticketIsFree = sql`(SELECT 1 FROM jobs AS other WHERE other.status = 'running'
  AND other.repo_id = due.repo_id AND other.ticket_id = due.ticket_id LIMIT 1) IS NULL`;

const roleIsFree = sql`(due.parallel = 1 OR (SELECT 1 FROM jobs AS other
  WHERE other.status = 'running' AND other.parallel = 0
    AND other.repo_id = due.repo_id AND other.role = due.role LIMIT 1) IS NULL)`;

const modelIsOpen = (now: Rule) =>
  sql`NOT EXISTS (SELECT 1 FROM lanes WHERE kind = 'model' AND key = due.lane
    AND (until IS NULL OR until > ${now}))`;

const roleIsOpen = (now: Rule) =>
  sql`NOT EXISTS (SELECT 1 FROM lanes WHERE kind = 'role'
    AND key = due.repo_id || '/' || due.role AND (until IS NULL OR until > ${now}))`;

const inRepos = ({ repoIds }: Claim) =>
  repoIds && sql`CASE WHEN due.repo_id IN ${among(repoIds)} THEN 1 END = 1`;

const notHeld = ({ heldRoles = [] }: Claim) =>
  heldRoles.length > 0 && sql`due.repo_id || '/' || due.role NOT IN ${among(heldRoles)}`;

const ofProfile = ({ profile }: Claim) => profile && sql`due.profile = ${profile}`;

const needsNoMore = ({ abilities }: Claim) =>
  abilities && sql`(due.needs IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(due.needs) AS need
    WHERE need.value NOT IN ${among(abilities)}))`;

/** A job that a person starts by hand runs here and now, whatever its role needs and others take. */
const withinLimitsOr = ({ jobId, node }: Claim) =>
  jobId === undefined ? withinLimits(node) : sql`due.id = ${jobId}`;

/** All that a claim asks of a job. */
export const claimRules = (claim: Claim, now: Rule): Rule =>
  all([
    isWaiting(now),
    inRepos(claim),
    ofProfile(claim),
    notHeld(claim),
    needsNoMore(claim),
    withinLimitsOr(claim),
    notPaused,
    ticketIsFree,
    roleIsFree,
    modelIsOpen(now),
    roleIsOpen(now),
  ]);

/** What is the same for all jobs of one repo, role and `parallel`. */
export const laneRules = (claim: Claim, now: Rule): Rule =>
  all([
    inRepos(claim),
    notHeld(claim),
    withinLimitsOr(claim),
    notPaused,
    roleIsFree,
    roleIsOpen(now),
  ]);

/** The rest: what one job has of its own. */
export const ownRules = (claim: Claim, now: Rule): Rule =>
  all([
    isWaiting(now),
    ofProfile(claim),
    needsNoMore(claim),
    ticketIsFree,
    modelIsOpen(now),
  ]);
