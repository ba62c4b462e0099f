/** Cards for what is wrong with the service, a model or a repo as a whole. Pure. */
import { rfc3339 } from "svc/core/time.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { ClaimHold } from "svc/features/jobs/claim_limits.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import type { RepoBoardFacts, ServiceFacts } from "./board_facts.ts";
import { type Card, cardOf, type CardPlace } from "./card.ts";
import {
  type ActionGround,
  commandAction,
  resumeClaimsAction,
  resumeRoleAction,
} from "svc/runtime/inbox/actions.ts";
import { heldModelActions, waitActions } from "svc/runtime/inbox/card_actions.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { owedPlace } from "./owed_place.ts";
import { personsWait } from "./settlement_wait.ts";

const harnessAction = ({ repoFlag }: ActionGround) =>
  commandAction("init", "Write a harness", {
    command: `svc init${repoFlag}`,
    about: "Shows what it would write, and asks before it does",
  });

const fileAction = (path: string) =>
  commandAction("edit", "Mend the file", {
    command: `$EDITOR ${shellWord(path)}`,
    about: "The card disappears within a second once the file can be read again",
  });

const lookAround = (dbFlag: string) =>
  commandAction("doctor", "Look into it", {
    command: "svc doctor",
    about: `Says what is wrong with this machine, this repo and its models${
      dbFlag === "" ? "" : "; what it names holds for all repos"
    }`,
  });

function claimsCard({ claims, dbFlag }: ServiceFacts): Card[] {
  if (claims.kind === "claiming") return [];
  const about = { key: "claims", title: "No job starts", repo: undefined };
  const place: CardPlace = claims.kind === "paused"
    ? {
      zone: "needs_you",
      why: `Claims are paused: ${claims.reason}`,
      action: "Resume",
      actions: [resumeClaimsAction(dbFlag)],
      since: claims.since,
    }
    : { zone: "failing", why: claims.reason, actions: [lookAround(dbFlag)], since: null };
  return [cardOf(about, place)];
}

/** The hold ends by itself; a person may raise the limit earlier. */
function holdCard(
  { setBy, repo_id, role, says, raise }: ClaimHold,
  repos: readonly RepoBoardFacts[],
): Card[] {
  const repo = repos.find(({ id }) => id === repo_id);
  if (repo_id !== null && repo === undefined) return [];
  const title = role === null
    ? "No new job begins today"
    : `Role "${role}" begins no new job today`;
  // Costs are those of one repo; a role's limit names its own.
  const { repoFlag = "", dbFlag = "" } = (repo ?? repos[0])?.ground ?? {};
  const about = { key: `hold:${setBy}:${repo_id ?? ""}:${role ?? ""}`, title, repo };
  const why = says[0]!.toUpperCase() + says.slice(1);
  const actions = [
    commandAction("costs", "See what it was spent on", {
      command: `svc costs --by role --days 1${repoFlag}${dbFlag}`,
      about: raise,
    }),
  ];
  const place: CardPlace = { zone: "needs_you", why, action: raise, actions, since: null };
  return [{ ...cardOf(about, place), role }];
}

/** A role's lane belongs to one repo, a model's to all. */
function laneCard(
  { kind, key, reason, paused_at, until }: Lane,
  repos: readonly RepoBoardFacts[],
): Card[] {
  const [repoId, role = ""] = key.split("/");
  const repo = kind === "role" ? repos.find(({ id }) => id === repoId) : undefined;
  if (kind === "role" && repo === undefined) return [];
  const title = kind === "role" ? `Role "${role}" is held back` : `Model ${key} is held back`;
  // A model's lane is lifted for all repos, and the decision is stored with one of them.
  const ground = (repo ?? repos[0])?.ground;
  const actions = ground === undefined
    ? []
    : kind === "role"
    ? [resumeRoleAction(ground, role)]
    : heldModelActions(ground, key, reason);
  const action = until !== null
    ? `It goes on by itself at ${rfc3339(until)}`
    : kind === "role"
    ? `Mend what made its jobs fail, then let it go on, or run ${role} by hand`
    : "Mend what it names, then run a role that uses it by hand: that lifts it";
  const about = { key: `lane:${kind}:${key}`, title, repo };
  return [{
    ...cardOf(about, { zone: "failing", why: reason, action, actions, since: paused_at }),
    role: kind === "role" ? role : null,
  }];
}

function repoCards(repo: RepoBoardFacts, { profile, dbFlag }: ServiceFacts): Card[] {
  const { files, settlements, id, ground } = repo;
  const look = lookAround(dbFlag);
  const { branch, problem, manifestAt = null, unread, fault, broken } = files;
  const cards: Card[] = [];
  const add = (key: string, title: string, place: CardPlace) =>
    cards.push(cardOf({ key: `${key}:${id}`, title, repo }, place));
  if (problem !== undefined) {
    const action = manifestAt === null ? "svc init" : `Edit ${MANIFEST_PATH}`;
    const title = "The manifest does not count";
    add("manifest", title, {
      ...{ zone: "failing", why: problem, action, since: manifestAt },
      actions: [look, ...(manifestAt === null ? [harnessAction(ground)] : [])],
    });
  }
  if (unread !== undefined && unread !== problem) {
    add("tickets", "Tickets cannot be read", {
      ...{ zone: "failing", why: unread, since: null },
      actions: [look],
    });
  }
  if (fault !== undefined && profile === "host") {
    const title = `Work cannot go to "${branch}"`;
    const wait = personsWait(fault);
    const owed = { waits_for: fault, to_state: null, merge_commit: null, merge_from: null };
    add("branch", title, {
      ...{ zone: "needs_you", why: `It waits for ${fault}`, action: wait?.action ?? null },
      actions: waitActions(ground, { owed, wait, ticket: undefined }),
      since: null,
    });
  }
  for (const { path, reason, remedy } of broken) {
    const actions = [fileAction(path)];
    const place: CardPlace = {
      ...{ zone: "failing", why: reason, action: remedy, actions, since: null },
    };
    add(`file:${path}`, "A ticket cannot be read", place);
  }
  for (const owed of settlements) {
    if (owed.ticket_id !== null) continue;
    add(`owed:${owed.id}`, owed.merge_from ?? "A move", owedPlace(owed, repo));
  }
  return cards;
}

export function faultCards(service: ServiceFacts, repos: readonly RepoBoardFacts[]): Card[] {
  return [
    ...claimsCard(service),
    ...service.holds.flatMap((hold) => holdCard(hold, repos)),
    ...service.lanes.flatMap((lane) => laneCard(lane, repos)),
    ...repos.flatMap((repo) => repoCards(repo, service)),
  ];
}
