/**
 * Merge policy `pull_request`: pushes the branch, opens a draft, waits until a person merges or
 * closes it. Each step first looks at what exists, so that a repeat opens no second one.
 */
import { Failure } from "svc/core/failure.ts";
import { redactor } from "svc/core/redact.ts";
import { codeHost, type PullRequest } from "svc/features/access/code_host.ts";
import { codeHostToken, type CodeHostUrls, GITHUB } from "svc/features/access/code_host_access.ts";
import { checksOfJob } from "svc/features/routing/decision_store.ts";
import { notePullRequest, pullRequestOf } from "svc/features/routing/pull_request_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { pushBranch } from "svc/platform/git/push.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { pullRequestText } from "./pull_request_text.ts";

/** Time between two looks at one pull request: a token has 5,000 requests an hour. */
const CODEHOST_POLL_MS = 60_000;

type PullRequestStep =
  | { readonly kind: "merged" }
  | { readonly kind: "wait"; readonly why: string }
  /** The branch must not leave this machine. */
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "closed"; readonly number: number; readonly url: string };

/** The pull request of this commit that counts: a merged one, else an open one, else the newest. */
function standing(pulls: readonly PullRequest[], commit: string): PullRequest | undefined {
  const of = pulls.filter((pull) => pull.commit === commit);
  return of.find(({ merged }) => merged) ?? of.find(({ state }) => state === "open") ?? of[0];
}

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
  const checks = job_id === null ? undefined : await checksOfJob(ports.db, job_id);
  return { opened, subject, checks };
}

/** Returns the pull request, opening a draft if needed; a text says why the branch must not go out. */
async function look(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { remote, token, places, guard }: {
    readonly remote: string;
    readonly token: string;
    readonly places: CodeHostUrls;
    guard(): Promise<string | undefined>;
  },
): Promise<PullRequest | string> {
  const { processes, files, env, fetch, home, clock, signal } = ports;
  const [branch, into] = [settlement.merge_from!, settlement.merge_into!];
  const commit = settlement.merge_commit!;
  const redact = redactor([token], ports.redact);
  const plan = { remote, token, api: places.api };
  const host = codeHost({ fetch, clock, redact, signal }, plan);
  const before = await host.pullRequests(branch, into);
  const known = standing(before, commit);
  if (known !== undefined) return known;
  const fault = await guard();
  if (fault !== undefined) return fault;
  await pushBranch(
    { processes, files, path: env.get("PATH") ?? "", scratch: home.traces },
    repo.git,
    { url: places.pushUrl(remote), branch, commit, token, signal },
  );
  const open = before.find(({ state }) => state === "open");
  if (open !== undefined) return open; // the push has brought it up to date
  const facts = { settlement, ...await textFor(ports, repo, settlement) };
  const text = pullRequestText(facts, redact);
  try {
    return await host.openDraft({ branch, into, ...text });
  } catch (thrown) {
    if (Failure.from(thrown).code !== "conflict") throw thrown;
    // Another process may have opened it since.
    const raced = (await host.pullRequests(branch, into)).find(({ state }) => state === "open");
    if (raced === undefined) throw thrown;
    return raced;
  }
}

/**
 * @param settlement with a merge @param guard called before a push; says why the branch must not go
 * out @throws faults other than of network, token or remote, which are retried
 */
export async function pullRequestStep(
  ports: RuntimePorts,
  repo: Repo,
  settlement: Settlement,
  { guard, places = GITHUB }: {
    guard(): Promise<string | undefined>;
    readonly places?: CodeHostUrls;
  },
): Promise<PullRequestStep> {
  const { db, clock } = ports;
  const { remote } = repo;
  const { id, merge_from, merge_into } = settlement;
  const byHand = `a person to merge ${merge_from} into ${merge_into}`;
  if (remote === null) {
    const way = "register a remote (svc register --remote owner/repo) to have a draft opened";
    return { kind: "wait", why: `${byHand}; ${way}` };
  }
  const token = await codeHostToken(ports);
  if (token === undefined) {
    const way = "set SVC_GITHUB_TOKEN or codehost_token to have a draft opened";
    return { kind: "wait", why: `${byHand}; ${way}` };
  }
  const noted = await pullRequestOf(db, id);
  const now = clock.now();
  if (noted !== undefined && settlement.waits_for !== null && noted.ask_at > now) {
    return { kind: "wait", why: settlement.waits_for };
  }
  try {
    const found = await look(ports, repo, settlement, { remote, token, places, guard });
    if (typeof found === "string") return { kind: "refused", why: found };
    const { number, merged, state } = found;
    await notePullRequest(db, id, { number, askAt: clock.now() + CODEHOST_POLL_MS });
    const url = `https://github.com/${remote}/pull/${number}`;
    if (merged) return { kind: "merged" };
    if (state === "closed") return { kind: "closed", number, url };
    return { kind: "wait", why: `pull request #${number} to be merged: ${url}` };
  } catch (thrown) {
    const failure = Failure.from(thrown);
    if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
    const { retryAfterSecs } = failure.detail;
    const waitMs = retryAfterSecs === undefined ? CODEHOST_POLL_MS : retryAfterSecs * 1000;
    await notePullRequest(db, id, { askAt: clock.now() + waitMs });
    const why = retryAfterSecs === undefined
      ? `another try at the pull request: ${failure.message}; ${failure.remedy}`
      : `GitHub's rate limit to end, at ${new Date(clock.now() + waitMs).toISOString()}`;
    return { kind: "wait", why: redactor([token], ports.redact)(why) };
  }
}
