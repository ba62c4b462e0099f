import assert from "node:assert/strict";
import { apisForMerge, GITHUB, pullRequestApis } from "svc/features/access/code_host_access.ts";
import { Config } from "svc/features/settings/config_file.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { apiFixture } from "tests/unit/features/access/api_fixture.ts";
import { CANARIES } from "tests/kit/canaries.ts";
import {
  BRANCH,
  type MergePlace,
  mergePlace,
  type MergePlan,
  OF_A_JOB,
  TOKEN,
} from "tests/unit/runtime/merge_place.ts";

/** After the next look is due. */
const LATER = { later: 61_000 };
const OPEN = "pull request #12 to be merged: https://github.com/ada/shop/pull/12";

const whys = ({ waiting }: { waiting: readonly { why: string }[] }) =>
  waiting.map(({ why }) => why);

Deno.test("only a repo's policy opens the APIs of GitHub and of the hosts that the user named", () => {
  const manifest = (merge: Manifest["dispatch"]["merge"]) =>
    ({ dispatch: { merge } }) as Pick<Manifest, "dispatch">;
  const said = Config.parse({
    code_hosts: [
      { host: "ghe.example", api: "https://ghe.example/api/v3", key_env: "GHE_TOKEN" },
      { host: "git.example", kind: "gitlab", key_env: "GHE_TOKEN" },
    ],
  });
  const apis = pullRequestApis(said);
  assert.deepEqual(apis, ["https://api.github.com", "https://ghe.example/api/v3"]);
  assert.deepEqual(apisForMerge(manifest("pull_request"), apis), apis);
  for (const merge of ["local", "manual"] as const) {
    assert.deepEqual(apisForMerge(manifest(merge), apis), []);
  }
  assert.deepEqual(apisForMerge(undefined, apis), []);
  assert.equal(GITHUB.pushUrl("a/b"), "https://github.com/a/b.git");
});

Deno.test("without a token or a remote a person merges, and nothing is sent", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  // What is stored for release access serves nothing else (spec section 5).
  const stored = { token: "", config: { codehost_token: TOKEN } };
  const [why] = whys(await place.round(api.api, stored));
  assert.equal(
    why,
    `a person to merge ${BRANCH} into main; set SVC_GITHUB_TOKEN or GITHUB_TOKEN, or keep a login ` +
      "for github.com in your git credential helper, to have a draft opened",
  );
  await using bare = await mergePlace({ remote: null });
  assert.match(whys(await bare.round(api.api))[0]!, /; register a remote \(svc register --remote/);
  await bare.repo.git("remote", "add", "origin", "git@gitlab.example.com:acme/team/shop.git");
  assert.equal(
    whys(await bare.round(api.api))[0],
    `a person to merge ${BRANCH} into main; svc cannot push to a repo in a subgroup; push the ` +
      `branch, and open its request there: git push origin ${BRANCH}`,
  );
  assert.equal(api.seen.length, 0);
  assert.equal(await place.tip(BRANCH) + await bare.tip(BRANCH), "");
});

Deno.test("a draft is opened once, says what it is, and its merge moves the ticket", async () => {
  const acceptance = ["the check `test` passes, @ada", `no ${TOKEN} in it; closes #1`];
  await using place = await mergePlace({ ticket: { acceptance } });
  await using api = apiFixture(place.tip);
  assert.deepEqual(whys(await place.round(api.api)), [OPEN]);
  assert.equal(await place.tip(BRANCH), place.commit);
  const [pull] = api.pulls;
  assert.equal(pull!.draft, true);
  assert.equal(pull!.title, "T-0001: Make the test pass");
  assert.equal(pull!.base.ref, "main");
  for (
    const part of [
      /^This draft was made by svc\./,
      /^Checks: passed$/m,
      /^Job: [0-9a-f-]{36}$/m,
      new RegExp(`^Commit: ${place.commit}$`, "m"),
      /^## Acceptance\n\n```text\n- the check `test` passes, @ada\n- no \[redacted\] in it/m,
      /^## Evidence\n\n```text\n- 20[^`]*to review/m,
    ]
  ) assert.match(pull!.body, part);
  // Within the minute nothing is asked; after it one look, and no second draft.
  const asked = api.seen.length;
  assert.deepEqual(whys(await place.round(api.api)), [OPEN]);
  assert.equal(api.seen.length, asked);
  assert.deepEqual(whys(await place.round(api.api, LATER)), [OPEN]);
  assert.equal(api.seen.length, asked + 1);
  assert.equal(api.posts().length, 1);
  await place.mergeThere(pull!);
  assert.equal((await place.round(api.api, { later: 200_000 })).done, 1);
  const { ticket, settlements } = await place.state();
  assert.deepEqual([ticket, settlements[0]!.state], ["done", "done"]);
  const told = JSON.stringify([
    settlements,
    place.argv,
    api.pulls,
    api.seen.map(({ body }) => body),
  ]);
  assert.ok(!told.includes("hush"), "the token is told");
  assert.ok(!told.includes(btoa(`x-access-token:${TOKEN}`).slice(4, -4)), "the token is told");
});

Deno.test("a long title is cut between characters: GitHub takes no half of one", async () => {
  // The title begins with "T-0001: ", 8 characters, and has 200; each emoji is two.
  const title = `x${"🛠".repeat(120)}`;
  await using place = await mergePlace({ ticket: { title } });
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  const said = JSON.parse(api.posts()[0]!.body);
  assert.match(said.title, /^T-0001: x🛠+\ufffd?…$/u);
  assert.ok(said.title.isWellFormed());
});

Deno.test("once the commit is in the branch nobody is asked", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  await place.repo.git("merge", "--quiet", "--no-ff", "-m", "merged", BRANCH);
  const asked = api.seen.length;
  assert.equal((await place.round(api.api)).done, 1);
  assert.equal(api.seen.length, asked);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("a pull request closed unmerged blocks the ticket, with an owner and an action", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  api.pulls[0]!.state = "closed";
  assert.equal((await place.round(api.api, LATER)).done, 1);
  const { ticket, text } = await place.state();
  assert.equal(ticket, "blocked");
  assert.match(text, /owner: maintainer/);
  assert.match(text, /action: .*reopen https:\/\/github\.com\/ada\/shop\/pull\/12/);
  assert.match(text, /pr_closed: pull request #12 was closed and not merged/);
});

/** As "Update branch" of GitHub does, or who mends a typo there. */
async function pushedByPerson({ repo, bare, commit }: MergePlace): Promise<string> {
  await repo.git("switch", "--quiet", "--detach", commit);
  const theirs = (await repo.commit("docs: a word", { "theirs.txt": "1\n" })).trim();
  await repo.git("push", "--quiet", bare, `${theirs}:refs/heads/${BRANCH}`);
  await repo.git("switch", "--quiet", "main");
  return theirs;
}

Deno.test("commits that a person adds to the pull request stay, and it is merged with them once", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  const theirs = await pushedByPerson(place);
  const [pull] = api.pulls;
  pull!.head.sha = theirs;
  assert.deepEqual(whys(await place.round(api.api, LATER)), [OPEN]);
  assert.equal(await place.tip(BRANCH), theirs);
  await place.mergeThere(pull!);
  await place.repo.git("push", "--quiet", place.bare, `:refs/heads/${BRANCH}`);
  assert.equal((await place.round(api.api, { later: 200_000 })).done, 1);
  assert.equal((await place.state()).ticket, "done");
  assert.equal(await place.tip(BRANCH), "");
  assert.equal(api.pulls.length, 1);
});

Deno.test("a pull request that is closed with commits of a person blocks the ticket, and no second one comes", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  const theirs = await pushedByPerson(place);
  Object.assign(api.pulls[0]!, { state: "closed", head: { ref: BRANCH, sha: theirs } });
  await place.repo.git("push", "--quiet", place.bare, `:refs/heads/${BRANCH}`);
  assert.equal((await place.round(api.api, LATER)).done, 1);
  assert.equal((await place.state()).ticket, "blocked");
  assert.equal(await place.tip(BRANCH), "");
  assert.equal(api.pulls.length, 1);
});

Deno.test("a pull request that a person has merged into another branch is the one, and gets no twin", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  const [pull] = api.pulls;
  pull!.base.ref = "develop";
  const elsewhere = OPEN.replace("merged:", "merged into develop:");
  assert.deepEqual(whys(await place.round(api.api, LATER)), [elsewhere]);
  // Work that was sent back comes to the same one.
  await place.repo.git("switch", "--quiet", BRANCH);
  const message = `fix: more of it\n\n${OF_A_JOB}`;
  place.commit = (await place.repo.commit(message, { "more.txt": "yes\n" })).trim();
  await place.repo.git("switch", "--quiet", "main");
  await place.owe();
  assert.deepEqual(whys(await place.round(api.api, { later: 200_000 })), [elsewhere]);
  assert.equal(await place.tip(BRANCH), place.commit);
  // A backport of the same commit is another matter.
  api.pulls.push({
    ...structuredClone(pull!),
    ...{ number: 13, state: "closed", merged_at: "2026-01-02T03:04:05Z" },
    ...{ base: { ref: "release-1" }, head: { ref: BRANCH, sha: place.commit } },
  });
  assert.deepEqual(whys(await place.round(api.api, { later: 300_000 })), [elsewhere]);
  Object.assign(pull!, { state: "closed", merged_at: "2026-01-02T03:04:05Z" });
  // Somebody else's work, which this clone has not got yet.
  await place.repo.git("switch", "--quiet", "--detach");
  await place.repo.commit("feat: theirs", { "theirs.txt": "1\n" });
  await place.repo.git("push", "--quiet", place.bare, "HEAD:main");
  await place.repo.git("switch", "--quiet", "main");
  assert.equal((await place.round(api.api, { later: 400_000 })).done, 1);
  assert.equal((await place.state()).ticket, "done");
  assert.deepEqual([api.pulls.length, api.posts().length], [2, 1]);
  const main = await place.repo.git("ls-tree", "--name-only", "main");
  assert.ok(!/fixed|more|theirs/.test(main), "it came into this clone's branch");
});

Deno.test("an open one of an earlier commit is brought up to date, a closed one is left alone", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  const old = (await place.repo.git("rev-parse", "main")).trim();
  const pull = {
    ...{ number: 3, state: "closed" as const, merged_at: null, draft: true, title: "", body: "" },
    ...{ head: { ref: BRANCH, sha: old }, base: { ref: "main" } },
  };
  api.pulls.push(pull, { ...pull, number: 12, state: "open", head: { ...pull.head } });
  await place.repo.git("push", "--quiet", place.bare, `${old}:refs/heads/${BRANCH}`);
  assert.deepEqual(whys(await place.round(api.api)), [OPEN]);
  assert.equal(await place.tip(BRANCH), place.commit);
  assert.equal(api.posts().length, 0);
  api.pulls.length = 1;
  assert.match(whys(await place.round(api.api, LATER))[0]!, /^pull request #13 to be merged/);
  assert.equal(api.posts().length, 1);
});

Deno.test("another process that opens it first is no fault", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  api.next = ({ method, body }) => {
    if (method !== "POST") return undefined;
    const { title, head } = JSON.parse(body);
    api.pulls.push({
      ...{ number: 12, state: "open", merged_at: null, draft: true, title, body: "" },
      ...{ head: { ref: head, sha: place.commit }, base: { ref: "main" } },
    });
    return Response.json({ message: "Validation Failed" }, { status: 422 });
  };
  assert.deepEqual(whys(await place.round(api.api)), [OPEN]);
  assert.equal(api.pulls.length, 1);
});

Deno.test("a fault of network, limit or remote is waited for, by its name", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  api.next = () => new Response("{}", { status: 429, headers: { "retry-after": "300" } });
  const [limit] = whys(await place.round(api.api));
  assert.match(limit!, /^GitHub's rate limit to end, at 20\d\d-/);
  // Not asked again before its time, though the usual minute is over.
  assert.deepEqual(whys(await place.round(api.api, LATER)), [limit]);
  assert.equal(api.seen.length, 1);
  api.next = () => new Response("{}", { status: 401 });
  const [token] = whys(await place.round(api.api, { later: 400_000 }));
  assert.match(
    token!,
    /^another try at the pull request: Cannot read .*\(401\); Set SVC_GITHUB_TOKEN/,
  );
  // The remote has another commit on that branch: never forced.
  await place.repo.git("switch", "--quiet", "-c", "theirs", "main");
  const theirs = (await place.repo.commit("theirs", { "theirs.txt": "1\n" })).trim();
  await place.repo.git("push", "--quiet", place.bare, `${theirs}:refs/heads/${BRANCH}`);
  await place.repo.git("switch", "--quiet", "main");
  const [pushed] = whys(await place.round(api.api, { later: 500_000 }));
  assert.match(pushed!, /Cannot push .*the remote has commits that it lacks; A person must merge/);
  assert.equal(await place.tip(BRANCH), theirs);
  assert.equal(api.posts().length, 0);
  await place.repo.git("push", "--quiet", place.bare, `:refs/heads/${BRANCH}`);
  assert.deepEqual(whys(await place.round(api.api, { later: 600_000 })), [OPEN]);
});

for (const there of [false, true]) {
  const what = there
    ? "that the remote has anyway holds no branch back"
    : "goes out with no branch";
  Deno.test(`a secret in a person's commits on main ${what}`, async () => {
    await using place = await mergePlace();
    await using api = apiFixture(place.tip);
    const { repo } = place;
    await repo.git("update-ref", "refs/remotes/origin/main", "main");
    const { line, value, rule } = CANARIES.find(({ rule }) => rule === "github-pat")!;
    await place.commitBelow("chore: try it", { "notes.txt": `${line}\n` });
    if (there) await repo.git("update-ref", "refs/remotes/origin/main", "main");
    await place.round(api.api);
    const { ticket, text } = await place.state();
    assert.equal(await place.tip(BRANCH), there ? place.commit : "");
    assert.equal(api.pulls.length, there ? 1 : 0);
    assert.equal(ticket, there ? "review" : "blocked");
    const told = `that its remote lacks: notes.txt:1: ${rule}. Push or rewrite those commits`;
    assert.equal(text.includes(told), !there, text);
    assert.ok(!text.includes(value));
  });
}

/** As GitHub writes it (docs.github.com, "Resolving a blocked push"). */
const PROTECTION = `error: GH013: Repository rule violations found for refs/heads/${BRANCH}.

- GITHUB PUSH PROTECTION
  —————————————————————————————————————————
    Resolve the following violations before pushing again

    - Push cannot contain secrets

      (?) To push, remove secret from commit(s) or follow this URL to allow the secret.
      https://github.com/ada/shop/security/secret-scanning/unblock-secret/2b7
`;

Deno.test("what a rule of the remote says of a refused push is told, with the page that it names", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  const hook = `${place.bare}/hooks/pre-receive`;
  const script = `#!/bin/sh\ncat >&2 <<'END'\n${PROTECTION}END\nexit 1\n`;
  await Deno.writeTextFile(hook, script, { mode: 0o755 });
  const [why] = whys(await place.round(api.api));
  assert.equal(
    why,
    `another try at the pull request: Cannot push "${BRANCH}": ` +
      "[remote rejected] (pre-receive hook declined): error: GH013: Repository rule violations " +
      `found for refs/heads/${BRANCH}. - GITHUB PUSH PROTECTION Resolve the following violations ` +
      "before pushing again - Push cannot contain secrets (?) To push, remove secret from " +
      "commit(s) or follow this URL to allow the secret. https://github.com/ada/shop/security/" +
      "secret-scanning/unblock-secret/2b7; Do what the remote says, or have its rule let this " +
      "branch in",
  );
  await Deno.remove(hook);
  assert.deepEqual(whys(await place.round(api.api, LATER)), [OPEN]);
});

for (const created of [false, true]) {
  const when = created ? "after the draft was made" : "between push and draft";
  Deno.test(`killed ${when}, there is one pull request in the end`, async () => {
    await using place = await mergePlace();
    await using api = apiFixture(place.tip);
    const { base, bare } = place;
    const plan: MergePlan = { base, bare, api: api.api };
    const program = new URL("../merge_place.ts", import.meta.url).href;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", program, JSON.stringify(plan)],
      ...{ stdin: "null", stdout: "null", stderr: "inherit" },
    }).spawn();
    api.next = async ({ method, body }) => {
      if (method !== "POST") return undefined;
      if (created) {
        const { title, head } = JSON.parse(body);
        api.pulls.push({
          ...{ number: 12, state: "open", merged_at: null, draft: true, title, body: "" },
          ...{ head: { ref: head, sha: place.commit }, base: { ref: "main" } },
        });
      }
      child.kill("SIGKILL");
      await child.status;
      return new Response(null, { status: 500 });
    };
    assert.equal((await child.status).signal, "SIGKILL");
    assert.equal(await place.tip(BRANCH), place.commit);
    assert.deepEqual(whys(await place.round(api.api)), [OPEN]);
    assert.equal(api.pulls.length, 1);
  });
}
