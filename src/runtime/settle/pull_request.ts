/**
 * Merge policy `pull_request`: pushes the branch, opens a draft, waits until a person merges or closes it. Each
 * step first looks at what exists, so that repeating it does not open a second pull request.
 */
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { isOver } from "svc/core/time.ts";
import { redactor } from "svc/core/redact.ts";
import { codeHost, type PullRequest } from "svc/features/access/code_host.ts";
import { type CodeHostPlace, codeHostPlace } from "svc/features/access/code_host_access.ts";
import { isSignOn, LimitReached, saysItExists } from "svc/features/access/code_host_refusal.ts";
import { limitNow, limitOver, limitText, noteLimit } from "svc/features/access/host_limit_store.ts";
import { codeHostLogin } from "svc/features/access/code_host_login.ts";
import { checksTold } from "svc/features/routing/checked_work.ts";
import { checksOfJob } from "svc/features/routing/decision_store.ts";
import {
  notePullRequest,
  pullRequestOf,
  pullRequestsOfBranch,
} from "svc/features/routing/pull_request_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import { HOST_UNKNOWN, inSubgroup, SUBGROUP_WAY } from "svc/features/repos/remote_place.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { GitLogin } from "svc/platform/git/credential.ts";
import { pushBranch } from "svc/platform/git/push.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { NotPushed } from "./branch_guard.ts";
import { bringIn, bringInByHand, isHandedIn } from "./bring_in.ts";
import { pullRequestText } from "./pull_request_text.ts";

/** Time between two looks at one pull request: a token has 5,000 requests an hour. */
const CODEHOST_POLL_MS = 60_000;

/** Each refusal brings another address of the page that authorises the token, good for an hour. */
const SIGN_ON_POLL_MS = 600_000;

type PullRequestStep =
  | { readonly kind: "merged" }
  | NotPushed
  | { readonly kind: "closed"; readonly number: number; readonly url: string };

/**
 * The pull request that counts: a merged one, else an open one, else the newest, for this commit and this
 * target branch. The one with `number` was found before: by now a person may have added commits to it, or
 * merged it into another branch.
 */
function standing(
  pulls: readonly PullRequest[],
  { commit, into, number }: {
    readonly commit: string;
    readonly into: string;
    readonly number: number | undefined;
  },
): PullRequest | undefined {
  const of = pulls.filter((pull) =>
    pull.number === number || pull.commit === commit && pull.into === into
  );
  return of.find(({ merged }) => merged) ?? of.find(({ state }) => state === "open") ?? of[0];
}

type Host = ReturnType<typeof codeHost>;

/** The pull request into whose branch a person has merged the commit: svc's own, or the one that takes the branch. */
async function takenIn(
  host: Host,
  pulls: readonly PullRequest[],
  { commit, isOurs }: { readonly commit: string; isOurs(pull: PullRequest): boolean },
): Promise<PullRequest | undefined> {
  for (const pull of pulls.filter(isOurs)) {
    if (await host.isIn(commit, pull.commit)) return pull;
  }
  return undefined;
}

/**
 * The remote has commits of a person, and svc has newer ones. svc never forces a push, so a person has to bring
 * both together.
 */
const mergedByHand = (refused: Failure, branch: string, open?: PullRequest) =>
  new Failure("conflict", refused.message, {
    remedy: `Bring both together${open === undefined ? "" : ` for pull request #${open.number}`}` +
      ", in a clone of yours: " +
      `git switch --detach ${shellWord(branch)} && ` +
      `git pull --no-rebase origin ${shellWord(branch)} && ` +
      `git push origin ${shellWord(`HEAD:${branch}`)}`,
  });

async function textFor(ports: RuntimePorts, repo: Repo, settlement: Settlement) {
  const { ticket_id, merge_commit } = settlement;
  const opened = ticket_id === null ? undefined : await repo.tickets.find(ticket_id)
    .catch((thrown) => {
      // The move after the merge reports it.
      if (Failure.from(thrown).code === "internal") throw thrown;
      return undefined;
    });
  const last = (await repo.git.log({ ref: merge_commit!, max: 1 }))[0];
  const subject = last?.subject ?? settlement.merge_from!;
  const { job_id } = settlement;
  const seen = job_id === null ? undefined : await checksOfJob(ports.db, job_id);
  const checks = seen && checksTold(seen);
  return { opened, subject, checks };
}

interface HandIn {
  readonly remote: string;
  readonly at: CodeHostPlace;
  readonly login: GitLogin | undefined;
  /** The pull request in which the commit was seen before. */
  readonly number: number | undefined;
  /** Those of earlier commits of the branch too. */
  readonly earlier: ReadonlySet<number>;
  guard(): Promise<NotPushed | undefined>;
}

async function push(
  ports: RuntimePorts,
  repo: Repo,
  { merge_from, merge_commit }: Settlement,
  { remote, at, login }: HandIn,
): Promise<void> {
  const { processes, files, env, home, signal } = ports;
  const { loginWay } = at;
  await pushBranch(
    { processes, files, env: env.all(), path: env.get("PATH") ?? "", scratch: home.traces },
    repo.git,
    {
      ...{ url: at.pushUrl(remote), branch: merge_from!, commit: merge_commit! },
      ...{ signal, loginWay, login },
    },
  );
}

/** Returns the pull request, opening a draft if needed, or why the branch is not pushed. */
async function look(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  hand: HandIn & { readonly api: string; readonly token: string },
): Promise<PullRequest | NotPushed> {
  const { fetch, clock, signal } = ports;
  const { remote, api, token, number, earlier, at: { tokenWay, web } } = hand;
  const [branch, into] = [settlement.merge_from!, settlement.merge_into!];
  const redact = redactor([token], ports.redact);
  const host = codeHost({ fetch, clock, redact, signal }, { remote, token, api, web, tokenWay });
  const isOpen = (one: PullRequest) =>
    one.state === "open" && (one.into === into || earlier.has(one.number));
  const opened = (pulls: readonly PullRequest[]) => pulls.find(isOpen);
  const before = await host.pullRequests(branch);
  const commit = settlement.merge_commit!;
  const isOurs = (one: PullRequest) => earlier.has(one.number) || isOpen(one);
  const known = standing(before, { commit, into, number }) ??
    await takenIn(host, before, { commit, isOurs });
  if (known !== undefined) return known;
  const kept = await hand.guard();
  if (kept !== undefined) return kept;
  const open = opened(before);
  await push(ports, repo, settlement, hand).catch((thrown) => {
    const refused = Failure.from(thrown);
    if (refused.code !== "conflict" || open === undefined) throw thrown;
    throw mergedByHand(refused, branch, open);
  });
  if (open !== undefined) return open; // the push has brought it up to date
  const facts = { settlement, ...await textFor(ports, repo, settlement) };
  const text = pullRequestText(facts, redact);
  try {
    return await host.openDraft({ branch, into, ...text });
  } catch (thrown) {
    const refused = Failure.from(thrown);
    if (refused.code !== "conflict") throw thrown;
    // Another process, or a person, may have opened it since.
    const raced = opened(await host.pullRequests(branch));
    if (raced !== undefined) return raced;
    if (!saysItExists(refused)) throw thrown;
    const why = "GitHub says that it exists already, and does not list it yet";
    throw new Failure("environment", `Cannot open a pull request for "${branch}": ${why}`, {
      remedy: "Try again later",
    });
  }
}

/** The same where nobody tells what the request has: a person may have brought both together before. */
async function pushBeside(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  hand: HandIn,
): Promise<void> {
  try {
    await push(ports, repo, settlement, hand);
  } catch (thrown) {
    const refused = Failure.from(thrown);
    if (refused.code !== "conflict") throw thrown;
    if (await isHandedIn(ports, repo, settlement, hand)) return;
    throw mergedByHand(refused, settlement.merge_from!);
  }
}

/** What a branch waits for at a host that svc cannot ask, once it was pushed there. */
function handedIn(
  { merge_from, merge_into }: Settlement,
  { remote, at }: Pick<HandIn, "remote" | "at">,
): string {
  const [branch, into] = [merge_from!, merge_into!];
  const page = at.newPullUrl(remote, { branch, into });
  const way = page === undefined ? "" : `; open the request: ${page}`;
  return `a person to merge ${branch}, pushed to ${at.host}, into ${into}${way}`;
}

/**
 * Hands the branch in by git alone: a person opens the request and merges it. The branch is pushed only once,
 * because at the host it belongs to that person, who may add commits or delete it with the merge.
 */
async function pushedForHand(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  hand: HandIn,
): Promise<PullRequestStep> {
  const { id, merge_into, merge_commit, waits_for } = settlement;
  if (await ports.worktrees.addsNothing(repo.git, merge_commit!, merge_into!)) {
    return { kind: "merged" };
  }
  const why = handedIn(settlement, hand);
  if (waits_for?.startsWith(why)) return await lookedFor(ports, repo, settlement, { ...hand, why });
  const kept = await hand.guard();
  if (kept === undefined) await pushBeside(ports, repo, settlement, hand);
  await notePullRequest(ports.db, id, { askAt: ports.clock.now() + CODEHOST_POLL_MS });
  return kept ?? { kind: "wait", why };
}

/** Whether a person has merged it there. What it waits for begins with the proof of the push all the same. */
async function lookedFor(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { why, ...hand }: HandIn & { readonly why: string },
): Promise<PullRequestStep> {
  const { db, clock } = ports;
  const also = (more: string | undefined): PullRequestStep => ({
    kind: "wait",
    why: more === undefined ? why : `${why}; ${more}`,
  });
  try {
    const found = await bringInByHand(ports, repo, settlement, hand);
    if (found.there && found.why === undefined) return { kind: "merged" };
    await notePullRequest(db, settlement.id, { askAt: clock.now() + CODEHOST_POLL_MS });
    return also(found.why);
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    await notePullRequest(db, settlement.id, { askAt: clock.now() + CODEHOST_POLL_MS });
    const redact = redactor(hand.login === undefined ? [] : [hand.login.password], ports.redact);
    return also(redact(`svc cannot look whether it was merged: ${message}; ${remedy}`));
  }
}

async function asked(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  hand: HandIn & { readonly api: string; readonly token: string },
): Promise<PullRequestStep> {
  const found = await look(ports, repo, settlement, hand);
  await limitOver(ports.db, hand.at.host);
  const askAt = ports.clock.now() + CODEHOST_POLL_MS;
  if ("kind" in found) {
    await notePullRequest(ports.db, settlement.id, { askAt });
    return found;
  }
  const { number, merged, mergedAs, state, into } = found;
  await notePullRequest(ports.db, settlement.id, { number, askAt });
  const url = hand.at.pullUrl(hand.remote, number);
  // A person may have merged it into another branch than the one registered here.
  if (merged && into !== settlement.merge_into) return { kind: "merged" };
  if (merged) {
    const why = await bringIn(ports, repo, settlement, { ...hand, number, mergedAs, url });
    return why === undefined ? { kind: "merged" } : { kind: "wait", why };
  }
  if (state === "closed") return { kind: "closed", number, url };
  const elsewhere = into === settlement.merge_into ? "" : ` into ${into}`;
  return { kind: "wait", why: `pull request #${number} to be merged${elsewhere}: ${url}` };
}

/**
 * @param settlement with a merge @param guard called before a push; says why the branch must not be pushed
 * @throws faults other than of network, token or remote, which are retried
 */
export async function pullRequestStep(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  guard: HandIn["guard"],
): Promise<PullRequestStep> {
  const { db, clock } = ports;
  const { id, merge_from, merge_into } = settlement;
  const byHand = (way: string): PullRequestStep => ({
    kind: "wait",
    why: `a person to merge ${merge_from} into ${merge_into}; ${way}`,
  });
  if (repo.place === undefined) {
    const origin = await repo.git.configGet("remote.origin.url") ?? "";
    if (inSubgroup(origin)) {
      return byHand(`${SUBGROUP_WAY}: git push origin ${shellWord(merge_from!)}`);
    }
    return byHand("register a remote (svc register --remote owner/repo) to have a draft opened");
  }
  const { host, remote } = repo.place;
  if (host === undefined) return byHand(`of ${remote}, ${HOST_UNKNOWN}`);
  const at = await codeHostPlace(ports, host, ports.codeHost);
  const noted = await pullRequestOf(db, id);
  if (noted !== undefined && settlement.waits_for !== null && !isOver(noted.ask_at, clock.now())) {
    return { kind: "wait", why: settlement.waits_for };
  }
  const { api, loginWay } = at;
  const limit = api === undefined ? undefined : await limitNow(db, host, clock.now());
  if (limit !== undefined) return { kind: "wait", why: limitText(limit) };
  const { signal } = ports;
  const login = await codeHostLogin(ports, at, { remote, refuseUnder: [repo.git.root], signal });
  const token = login?.password;
  if (api !== undefined && token === undefined) {
    await notePullRequest(db, id, { askAt: clock.now() + CODEHOST_POLL_MS });
    return byHand(`${loginWay}, to have a draft opened`);
  }
  const earlier = await pullRequestsOfBranch(db, {
    repo_id: settlement.repo_id,
    branch: merge_from!,
  });
  const hand = { remote, at, login, number: noted?.number ?? undefined, earlier, guard };
  try {
    return api === undefined || token === undefined
      ? await pushedForHand(ports, repo, settlement, hand)
      : await asked(ports, repo, settlement, { ...hand, api, token });
  } catch (thrown) {
    const failure = Failure.from(thrown);
    if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
    if (failure instanceof LimitReached) {
      const reached = await noteLimit(db, host, failure, clock.now());
      await notePullRequest(db, id, { askAt: reached.until });
      return { kind: "wait", why: limitText(reached) };
    }
    const waitMs = isSignOn(failure) ? SIGN_ON_POLL_MS : CODEHOST_POLL_MS;
    await notePullRequest(db, id, { askAt: clock.now() + waitMs });
    const why = `another try at the pull request: ${failure.message}; ${failure.remedy}`;
    return { kind: "wait", why: redactor(token === undefined ? [] : [token], ports.redact)(why) };
  }
}
