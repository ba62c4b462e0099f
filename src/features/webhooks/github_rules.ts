/** What events of GitHub cause (docs.github.com, "Webhook events and payloads"). */
import { WEBHOOK_PUSH_MS, WEBHOOK_REVIEW_MS } from "svc/core/bounds.ts";
import { issueFingerprint } from "./issue_ticket.ts";
import type { Payload } from "./payload.ts";
import { mentionIn, type WebhookRule } from "./rule.ts";
import type { Asker, OutsideIssue, OutsidePull, RequestDraft } from "./request.ts";

/** Authors who may push, by the `author_association` of each comment. */
const WRITERS: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/** Prefix of svc's own branches. */
const OURS = "svc/";

function author(p: Payload, path: string): string {
  return p.name(`${path}.user.login`) ?? p.name("sender.login") ?? "somebody";
}

/** Whoever owns the repo can push. An event tells of `sender` no association. */
function askers(p: Payload): Asker[] {
  const named = ["comment", "issue"].map((path) => ({
    login: p.name(`${path}.user.login`),
    owner: p.name(`${path}.author_association`) === "OWNER",
  }));
  const sender = { login: p.name("sender.login"), owner: false };
  const all = [named[0]!, sender, named[1]!];
  const owners = new Set(all.flatMap(({ login, owner }) => owner ? login ?? [] : []));
  const logins = new Set(all.flatMap(({ login }) => login ?? []));
  return [...logins].map((login) => ({
    login,
    ...(owners.has(login) && { owner: true as const }),
  }));
}

function issueOf(p: Payload): OutsideIssue | undefined {
  const number = p.int("issue.number");
  const repo = p.name("repository.full_name");
  if (number === undefined || repo === undefined) return undefined;
  const labels = p.names("issue.labels", "name");
  return {
    title: p.text("issue.title") || `Issue ${number}`,
    body: p.text("issue.body"),
    url: p.name("issue.html_url") ?? "",
    by: author(p, "issue"),
    labels,
    fingerprint: issueFingerprint(repo, number),
    type: labels.some((label) => /^(?:type: ?)?bug$/i.test(label)) ? "bug" : "feature",
    priority: "p2",
    at: p.name("issue.updated_at"),
    askers: askers(p),
  };
}

function pullOf(p: Payload): OutsidePull | undefined {
  const number = p.int("pull_request.number");
  if (number === undefined) return undefined;
  const branch = fromHere(p) ? p.name("pull_request.head.ref") : undefined;
  const into = p.name("pull_request.base.ref");
  return {
    number,
    ...(branch !== undefined && { branch }),
    ...(into !== undefined && { into }),
    url: p.name("pull_request.html_url") ?? "",
  };
}

/** A branch of a fork may have any name. */
function fromHere(p: Payload): boolean {
  const head = p.name("pull_request.head.repo.full_name");
  return head !== undefined && head === p.name("pull_request.base.repo.full_name");
}

const noWriter = (p: Payload, path: string) =>
  WRITERS.has(p.name(`${path}.author_association`) ?? "")
    ? undefined
    : "its author may not write to the repo";

export function issueTicket(p: Payload): RequestDraft | undefined {
  const item = issueOf(p);
  if (item === undefined) return undefined;
  const key = `ticket:${item.fingerprint}:${p.name("issue.updated_at")}`;
  return { kind: "ticket", item, key };
}

function cancelDraft(why: (p: Payload) => string, final?: true) {
  return (p: Payload): RequestDraft | undefined => {
    const issue = issueOf(p);
    if (issue === undefined) return undefined;
    const { fingerprint, title, at } = issue;
    const item = { fingerprint, title, why: why(p), at, ...(final && { final }) };
    return { kind: "cancel", item, key: `cancel:${fingerprint}:${p.name("action")}:${at}` };
  };
}

const closedAs: Readonly<Record<string, string>> = {
  completed: "closed in GitHub as completed",
  not_planned: "closed in GitHub as not planned",
  duplicate: "closed in GitHub as a duplicate",
};

export const issueEnd = cancelDraft((p) =>
  closedAs[p.name("issue.state_reason") ?? ""] ?? "closed in GitHub"
);

const hasLabel = (p: Payload, labels: readonly string[]) =>
  p.names("issue.labels", "name").some((name) => labels.includes(name.toLowerCase()));

/** The label that the event is about. */
const isOfSvc = (p: Payload, labels: readonly string[]) =>
  labels.includes(p.name("label.name")?.toLowerCase() ?? "");

function runDraft(
  p: Payload,
  about: { issue: OutsideIssue } | { pull: OutsidePull },
): RequestDraft {
  const text = p.text("comment.body");
  const item = {
    by: author(p, "comment"),
    url: p.name("comment.html_url") ?? "",
    text,
    about,
    ...mentionIn(text),
  };
  return {
    kind: "run",
    item,
    key: `run:comment:${p.value("comment.id")}:${p.name("comment.url")}`,
  };
}

const notAsked = (p: Payload) =>
  mentionIn(p.text("comment.body")) === undefined ? "no mention" : noWriter(p, "comment");

function reworkDraft(
  p: Payload,
  path: "review" | "comment",
  text: string,
): RequestDraft | undefined {
  const pull = pullOf(p);
  if (pull === undefined) return undefined;
  const item = { pull, by: author(p, path), text, asks: path === "review" };
  return {
    kind: "rework",
    item,
    key: `rework:${pull.number}`,
    batchMs: WEBHOOK_REVIEW_MS,
  };
}

function failedDraft(p: Payload, path: "check_run" | "workflow_run"): RequestDraft | undefined {
  const suite = path === "check_run" ? "check_run.check_suite" : path;
  const branch = p.name(`${suite}.head_branch`);
  const sha = p.name(`${path}.head_sha`);
  if (branch === undefined || sha === undefined) return undefined;
  const said = ["title", "summary", "text"].map((key) => p.text(`${path}.output.${key}`));
  const item = {
    branch,
    sha,
    name: p.name(`${path}.name`) ?? "a check",
    text: said.filter((part) => part !== "").join("\n"),
    url: p.name(`${path}.html_url`) ?? "",
  };
  // Each check of a failed workflow reports the failure once more.
  return { kind: "failed_check", item, key: `failed_check:${branch}:${sha}` };
}

function notFailed(p: Payload, path: "check_run" | "workflow_run"): string | undefined {
  const conclusion = p.name(`${path}.conclusion`);
  if (conclusion !== "failure" && conclusion !== "timed_out") return "it did not fail";
  const suite = path === "check_run" ? "check_run.check_suite" : path;
  if (!p.name(`${suite}.head_branch`)?.startsWith(OURS)) return "not a branch of svc";
  const head = p.name(`${path}.head_repository.full_name`);
  if (head !== undefined && head !== p.name("repository.full_name")) return "a branch of a fork";
  return undefined;
}

export const GITHUB_RULES: readonly WebhookRule[] = [
  {
    event: "issues",
    action: ["opened", "reopened"],
    when: (p, { labels }) => hasLabel(p, labels) ? undefined : "no label of svc",
    effect: issueTicket,
  },
  {
    event: "issues",
    action: ["labeled"],
    when(p, { labels }) {
      if (!isOfSvc(p, labels)) return "no label of svc";
      return p.name("issue.state") === "closed" ? "a closed issue" : undefined;
    },
    effect: issueTicket,
  },
  {
    event: "issues",
    action: ["unlabeled"],
    when(p, { labels }) {
      if (!isOfSvc(p, labels)) return "no label of svc";
      return hasLabel(p, labels) ? "another label of svc is left" : undefined;
    },
    effect: cancelDraft((p) => `the label "${p.name("label.name")}" was taken off in GitHub`),
  },
  {
    event: "issues",
    action: ["closed"],
    when: () => undefined,
    effect: issueEnd,
  },
  {
    event: "issues",
    action: ["deleted"],
    when: () => undefined,
    effect: cancelDraft(() => "deleted in GitHub", true),
  },
  {
    event: "issues",
    action: ["transferred"],
    when: () => undefined,
    effect: cancelDraft((p) => {
      const to = p.name("changes.new_repository.full_name");
      return `transferred in GitHub${to === undefined ? "" : ` to ${to}`}`;
    }, true),
  },
  {
    event: "issue_comment",
    action: ["created"],
    when: notAsked,
    effect(p) {
      const number = p.int("issue.number");
      if (p.value("issue.pull_request") !== undefined && number !== undefined) {
        return runDraft(p, { pull: { number, url: p.name("issue.html_url") ?? "" } });
      }
      const issue = issueOf(p);
      return issue && runDraft(p, { issue });
    },
  },
  {
    event: "pull_request_review_comment",
    action: ["created"],
    when: notAsked,
    effect(p) {
      const pull = pullOf(p);
      return pull && runDraft(p, { pull });
    },
  },
  {
    event: "pull_request_review_comment",
    action: ["created"],
    when: (p) => noWriter(p, "comment"),
    effect(p) {
      const line = p.int("comment.line") ?? p.int("comment.original_line");
      const place = `${p.name("comment.path") ?? "?"}${line === undefined ? "" : `:${line}`}`;
      return reworkDraft(p, "comment", `${place}: ${p.text("comment.body")}`);
    },
  },
  {
    event: "pull_request_review",
    action: ["submitted"],
    when: (p) =>
      p.name("review.state")?.toLowerCase() === "changes_requested"
        ? noWriter(p, "review")
        : "no changes asked for",
    effect: (p) => reworkDraft(p, "review", p.text("review.body")),
  },
  {
    event: "pull_request",
    action: ["opened", "synchronize", "ready_for_review", "reopened"],
    when(p) {
      if (p.flag("pull_request.draft")) return "a draft";
      const ours = fromHere(p) && p.name("pull_request.head.ref")?.startsWith(OURS);
      return ours ? "work of svc, reviewed before it was handed in" : undefined;
    },
    effect(p) {
      const pull = pullOf(p);
      const sha = p.name("pull_request.head.sha");
      if (pull === undefined || sha === undefined) return undefined;
      const item = {
        pull,
        sha,
        by: author(p, "pull_request"),
        title: p.text("pull_request.title"),
        body: p.text("pull_request.body"),
        at: p.name("pull_request.updated_at"),
      };
      return { kind: "review", item, key: `review:${pull.number}:${sha}` };
    },
  },
  {
    event: "pull_request",
    action: ["closed"],
    when: () => undefined,
    effect(p) {
      const pull = pullOf(p);
      if (pull === undefined) return undefined;
      const item = {
        pull,
        merged: p.flag("pull_request.merged"),
        by: p.name("sender.login") ?? "somebody",
        at: p.name("pull_request.updated_at"),
      };
      const key = `closed:${pull.number}:${p.name("pull_request.closed_at")}`;
      return { kind: "closed", item, key };
    },
  },
  {
    event: "check_run",
    action: ["completed"],
    when: (p) => notFailed(p, "check_run"),
    effect: (p) => failedDraft(p, "check_run"),
  },
  {
    event: "workflow_run",
    action: ["completed"],
    when: (p) => notFailed(p, "workflow_run"),
    effect: (p) => failedDraft(p, "workflow_run"),
  },
  {
    event: "push",
    when: (p, { branch }) =>
      p.flag("deleted") || p.name("ref") !== `refs/heads/${branch}`
        ? "not the registered branch"
        : undefined,
    effect(p) {
      const head = p.name("after");
      if (head === undefined) return undefined;
      return { kind: "push", item: { head }, key: "push", batchMs: WEBHOOK_PUSH_MS };
    },
  },
];
