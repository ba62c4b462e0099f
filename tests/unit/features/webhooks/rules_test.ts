import assert from "node:assert/strict";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { WEBHOOK_TEXT_CHARS } from "svc/core/bounds.ts";
import { GITHUB_RULES } from "svc/features/webhooks/github_rules.ts";
import { LINEAR_RULES, teamOf } from "svc/features/webhooks/linear_rules.ts";
import { payloadOf } from "svc/features/webhooks/payload.ts";
import { mentionIn, requestOfEvent, type RuleFacts } from "svc/features/webhooks/rule.ts";
import type { RequestDraft } from "svc/features/webhooks/request.ts";

const STANDING: RuleFacts = {
  labels: ["svc"],
  branch: "main",
  own: new Set(),
};

type Json = Record<string, unknown>;

function example(event: string, action?: string): Json {
  const all = (examples as unknown as { name: string; examples: Json[] }[])
    .find(({ name }) => name === event)!.examples;
  return structuredClone(all.find((payload) => payload.action === action)!);
}

function github(event: string, payload: Json): RequestDraft | string {
  const action = payload.action as string | undefined;
  return requestOfEvent(GITHUB_RULES, { event, action, payload: payloadOf(payload) }, STANDING);
}

function linear(event: string, payload: Json): RequestDraft | string {
  const action = payload.action as string | undefined;
  return requestOfEvent(LINEAR_RULES, { event, action, payload: payloadOf(payload) }, STANDING);
}

const kindOf = (draft: RequestDraft | string) => typeof draft === "string" ? draft : draft.kind;

/** With the values at the paths changed. */
function changed(payload: Json, edits: Json): Json {
  const copy = structuredClone(payload);
  for (const [path, value] of Object.entries(edits)) {
    const keys = path.split(".");
    const last = keys.pop()!;
    const at = keys.reduce((at, key) => (at[key] ??= {}) as Json, copy);
    at[last] = value;
  }
  return copy;
}

Deno.test("mentionIn hears what is said to svc, not what is quoted or code", () => {
  for (
    const text of ["@svc", "hi @svc!", "(@svc)", "@SVC: mend it", "a\n@svc\nb", "@svc, please"]
  ) {
    assert.notEqual(mentionIn(text), undefined, text);
  }
  for (
    const text of [
      ...["", "svc", "@svcs", "@svc-bot", "@svc/team", "ada@svc.test", "> @svc mend it"],
      ...["`@svc`", "```\n@svc\n```", "```\n@svc", "@other @svcx"],
    ]
  ) assert.equal(mentionIn(text), undefined, text);
  assert.deepEqual(mentionIn("> @svc qa\n\n@svc engineer: go"), { role: "engineer" });
});

Deno.test("payloadOf reads own values of the asked type alone, and bounds them", () => {
  const payload = payloadOf({
    a: { b: "x", n: 1, f: true, long: "y".repeat(20_000) },
    l: [{ n: "z" }, 1],
  });
  assert.equal(payload.name("a.b"), "x");
  assert.equal(payload.name("a.n"), undefined);
  assert.equal(payload.name("a.long"), undefined);
  assert.equal(payload.text("a.long").length, WEBHOOK_TEXT_CHARS + 2);
  assert.equal(payload.int("a.n"), 1);
  assert.equal(payload.flag("a.f"), true);
  assert.deepEqual(payload.names("l", "n"), ["z"]);
  for (const path of ["constructor.name", "a.__proto__", "a.b.length", "toString", "l.length.x"]) {
    assert.equal(payload.name(path), undefined);
  }
  for (const root of [null, 1, "text", []]) assert.equal(payloadOf(root).value("a"), undefined);
});

Deno.test("an issue names who caused the event, then who wrote it, and which of them owns the repo", () => {
  const labels = [{ name: "svc" }];
  const askers = (payload: Json) =>
    (github("issues", changed(payload, { "issue.labels": labels })) as RequestDraft & {
      kind: "ticket";
    }).item.askers;
  const opened = example("issues", "opened");
  const owner = { login: "Codertocat", owner: true };
  assert.deepEqual(askers(opened), [owner]);
  const member = changed(opened, { "issue.author_association": "MEMBER" });
  assert.deepEqual(askers(member), [{ login: "Codertocat" }]);
  const stranger = { "issue.user.login": "mallory", "issue.author_association": "NONE" };
  assert.deepEqual(askers(changed(opened, stranger)), [{ login: "Codertocat" }, {
    login: "mallory",
  }]);
  const said = changed(example("issue_comment", "created"), {
    ...stranger,
    ...{ "comment.body": "@svc", "comment.user.login": "ada", "sender.login": "ada" },
    "comment.author_association": "OWNER",
  });
  const { about } = (github("issue_comment", said) as RequestDraft & { kind: "run" }).item;
  assert.deepEqual("issue" in about && about.issue.askers, [
    { login: "ada", owner: true },
    { login: "mallory" },
  ]);
});

Deno.test("issues count with a label of svc", () => {
  const opened = example("issues", "opened");
  assert.equal(kindOf(github("issues", opened)), "no label of svc");
  const labels = [{ name: "svc" }, { name: "svc:qa" }];
  const draft = github("issues", changed(opened, { "issue.labels": labels }));
  assert.equal(kindOf(draft), "ticket");
  assert.match(
    (draft as RequestDraft & { kind: "ticket" }).item.fingerprint,
    /^github:codertocat\/hello-world#\d+$/,
  );
  const labeled = example("issues", "labeled");
  assert.equal(kindOf(github("issues", changed(labeled, { "label.name": "svc" }))), "ticket");
  // To GitHub "Svc" and "svc" are one label, written as it was made.
  const large = changed(opened, { "issue.labels": [{ name: "Svc" }] });
  assert.equal(kindOf(github("issues", large)), "ticket");
  assert.equal(kindOf(github("issues", changed(labeled, { "label.name": "SVC" }))), "ticket");
  const unlabeled = changed(example("issues", "unlabeled"), { "label.name": "SVC" });
  assert.equal(kindOf(github("issues", unlabeled)), "cancel");
  // An issue that has it already, and gets another one.
  assert.equal(
    kindOf(github("issues", changed(labeled, { "issue.labels": labels }))),
    "no label of svc",
  );
});

Deno.test("an issue is given up when svc's label is taken off, and for good when it is gone", () => {
  const off = (label: string, left: string) => {
    const edits = { "label.name": label, "issue.labels": [{ name: left }] };
    return github("issues", changed(example("issues", "unlabeled"), edits));
  };
  assert.equal(off("bug", "feature"), "no label of svc");
  assert.equal(off("svc", "svc"), "another label of svc is left");
  const given = off("svc", "bug") as RequestDraft & { kind: "cancel" };
  assert.deepEqual([given.kind, given.item.final], ["cancel", undefined]);
  for (const action of ["deleted", "transferred"]) {
    const gone = github("issues", example("issues", action)) as RequestDraft & { kind: "cancel" };
    assert.deepEqual([gone.kind, gone.item.final], ["cancel", true], action);
  }
});

Deno.test("comments count when they speak to svc and their author may write", () => {
  const said = (association: string, body: string) =>
    changed(example("issue_comment", "created"), {
      ...{ "comment.author_association": association, "comment.body": body },
    });
  for (const writer of ["OWNER", "MEMBER", "COLLABORATOR"]) {
    assert.equal(kindOf(github("issue_comment", said(writer, "@svc go"))), "run");
  }
  for (
    const other of ["CONTRIBUTOR", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN", "NONE", ""]
  ) {
    const why = github("issue_comment", said(other, "@svc go"));
    assert.equal(why, "its author may not write to the repo");
  }
  const asked = github("issue_comment", said("OWNER", "@svc")) as RequestDraft & { kind: "run" };
  assert.deepEqual(Object.keys(asked.item.about), ["issue"]);
  assert.equal(github("issue_comment", said("OWNER", "no names")), "no mention");
  assert.equal(
    github("issue_comment", { ...said("OWNER", "@svc"), action: "edited" }),
    "unknown action",
  );
  const onPull = changed(said("OWNER", "@svc qa"), { "issue.pull_request": { url: "x" } });
  const draft = github("issue_comment", onPull) as RequestDraft & { kind: "run" };
  assert.ok("pull" in draft.item.about);
  assert.equal(draft.item.role, "qa");
});

Deno.test("pull requests are looked at unless they are drafts or svc's own", () => {
  const opened = example("pull_request", "opened");
  const edits = { "pull_request.draft": false };
  for (const action of ["opened", "synchronize", "ready_for_review"]) {
    assert.equal(kindOf(github("pull_request", changed(opened, { ...edits, action }))), "review");
  }
  assert.equal(github("pull_request", changed(opened, { "pull_request.draft": true })), "a draft");
  const ours = changed(opened, { ...edits, "pull_request.head.ref": "svc/T-0001-x" });
  assert.match(github("pull_request", ours) as string, /^work of svc/);
  // A fork's branch is nobody's work but the fork's, whatever its name.
  const fork = changed(ours, { "pull_request.head.repo.full_name": "mallory/hello-world" });
  const draft = github("pull_request", fork) as RequestDraft & { kind: "review" };
  assert.equal(draft.kind, "review");
  assert.equal(draft.item.pull.branch, undefined);
  assert.equal(draft.item.at, "2019-05-15T15:20:33Z");
  const closed = github("pull_request", example("pull_request", "closed"));
  assert.equal((closed as RequestDraft & { kind: "closed" }).item.pull.into, "master");
  // The same state, told twice.
  const twice = ["opened", "ready_for_review"].map((action) =>
    (github("pull_request", changed(opened, { ...edits, action })) as RequestDraft).key
  );
  assert.equal(twice[0], twice[1]);
});

Deno.test("reviews that ask for changes, and their threads, are one batch", () => {
  const asked = changed(example("pull_request_review", "submitted"), {
    ...{ "review.state": "changes_requested", "review.author_association": "OWNER" },
  });
  const review = github("pull_request_review", asked) as RequestDraft & { kind: "rework" };
  assert.deepEqual([review.kind, review.item.asks, review.batchMs], ["rework", true, 30_000]);
  const thread = changed(example("pull_request_review_comment", "created"), {
    ...{ "comment.author_association": "OWNER", "pull_request.number": review.item.pull.number },
  });
  const draft = github("pull_request_review_comment", thread) as RequestDraft & { kind: "rework" };
  assert.deepEqual([draft.kind, draft.item.asks, draft.key], ["rework", false, review.key]);
  const spoken = changed(thread, { "comment.body": "@svc mend this" });
  assert.equal(kindOf(github("pull_request_review_comment", spoken)), "run");
  const stranger = changed(asked, { "review.author_association": "NONE" });
  assert.equal(github("pull_request_review", stranger), "its author may not write to the repo");
  const approved = changed(asked, { "review.state": "approved" });
  assert.equal(github("pull_request_review", approved), "no changes asked for");
});

Deno.test("failed checks count on branches of svc, once for each commit", () => {
  const check = changed(example("check_run", "completed"), {
    ...{ "check_run.conclusion": "failure", "check_run.check_suite.head_branch": "svc/T-0001" },
    ...{ "check_run.head_sha": "abc", "check_run.output": { summary: "1 failed", text: "log" } },
  });
  const draft = github("check_run", check) as RequestDraft & { kind: "failed_check" };
  assert.deepEqual([draft.kind, draft.item.text], ["failed_check", "1 failed\nlog"]);
  const workflow = changed(example("workflow_run", "completed"), {
    ...{ "workflow_run.conclusion": "failure", "workflow_run.head_branch": "svc/T-0001" },
    "workflow_run.head_sha": "abc",
  });
  const same = changed(workflow, {
    "workflow_run.head_repository.full_name": (workflow.repository as Json).full_name,
  });
  assert.equal((github("workflow_run", same) as RequestDraft).key, draft.key);
  const fork = changed(same, { "workflow_run.head_repository.full_name": "mallory/x" });
  assert.equal(github("workflow_run", fork), "a branch of a fork");
  const edits = { "check_run.check_suite.head_branch": "main" };
  assert.equal(github("check_run", changed(check, edits)), "not a branch of svc");
  const passed = changed(check, { "check_run.conclusion": "success" });
  assert.equal(github("check_run", passed), "it did not fail");
});

Deno.test("pushes count on the registered branch", () => {
  const push = { ...example("push"), deleted: false };
  const draft = github("push", { ...push, ref: "refs/heads/main" });
  assert.equal(kindOf(draft), "push");
  for (const ref of ["refs/tags/main", "refs/heads/other", "main"]) {
    assert.equal(github("push", { ...push, ref }), "not the registered branch");
  }
  assert.equal(
    github("push", { ...push, ref: "refs/heads/main", deleted: true }),
    "not the registered branch",
  );
});

Deno.test("issues of Linear count when their label or their start is new", () => {
  const data = {
    ...{ id: "i1", identifier: "ENG-3", title: "Mend", labels: [{ id: "l1", name: "svc" }] },
    ...{ state: { type: "backlog" }, updatedAt: "x" },
  };
  const issue = { action: "update", type: "Issue", data };
  assert.equal(kindOf(linear("Issue", { ...issue, updatedFrom: { labelIds: [] } })), "ticket");
  const askers = (actor: Json) =>
    (linear("Issue", { ...issue, action: "create", actor }) as RequestDraft & { kind: "ticket" })
      .item.askers;
  // Types of actors by `@linear/sdk` 98: UserActor-, ExternalUserActor- and IntegrationActorWebhookPayload.
  const ada = { id: "u1", name: "Ada", email: "ada@example.org" };
  assert.deepEqual(askers({ ...ada, type: "user" }), [{ login: "ada@example.org" }]);
  assert.deepEqual(askers({ ...ada, type: "externalUser" }), []);
  assert.deepEqual(askers({ id: "i1", service: "slack", type: "integration" }), []);
  const nothingNew = "neither its label nor its start is new";
  assert.equal(linear("Issue", { ...issue, updatedFrom: { labelIds: ["l1"] } }), nothingNew);
  assert.equal(linear("Issue", { ...issue, updatedFrom: { title: "x" } }), nothingNew);
  assert.equal(kindOf(linear("Issue", { ...issue, action: "create" })), "ticket");
  const moved = (type: string) =>
    changed({ ...issue, updatedFrom: { stateId: "s0" } }, { "data.state.type": type });
  assert.equal(kindOf(linear("Issue", moved("started"))), "ticket");
  assert.equal(
    linear("Issue", changed(moved("started"), { "data.labels": [] })),
    "no label of svc",
  );
  assert.equal(kindOf(linear("Issue", { ...issue, action: "remove" })), "cancel");
  for (const type of ["completed", "canceled", "duplicate"]) {
    assert.equal(kindOf(linear("Issue", moved(type))), "cancel");
    // Imported, or labelled, when nobody works on it any more.
    const late = changed(issue, { "data.state.type": type });
    const labelled = { ...late, updatedFrom: { labelIds: [] } };
    for (const one of [{ ...late, action: "create" }, labelled]) {
      assert.equal(linear("Issue", one), "an issue that has ended");
    }
  }
});

Deno.test("comments of Linear count when a user of the workspace speaks to svc", () => {
  const data = {
    ...{ id: "c1", body: "@svc go", userId: "u1" },
    issue: { id: "i1", identifier: "ENG-3", title: "Mend" },
  };
  const comment = { action: "create", type: "Comment", data };
  assert.equal(kindOf(linear("Comment", comment)), "run");
  assert.equal(teamOf(payloadOf(comment)), "ENG");
  assert.equal(linear("Comment", changed(comment, { "data.body": "go" })), "no mention");
  assert.equal(
    linear("Comment", changed(comment, { "data.userId": null })),
    "its author is no user",
  );
  assert.equal(linear("Project", { action: "create" }), "unknown event");
});
