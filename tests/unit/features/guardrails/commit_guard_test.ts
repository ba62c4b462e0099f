/** The guard over real branches: what may go on, and what says why not. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import {
  type CommitMakers,
  guardBranch,
  type GuardResult,
} from "svc/features/guardrails/commit_guard.ts";
import { scanRepo } from "svc/features/guardrails/scan_repo.ts";
import { workTree } from "svc/features/guardrails/scan_sources.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { type Files, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";

const SECRET = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
const OTHER = SECRET.replace("u8Xq", "w7Yp");
const KEY = { "key.txt": `token = "${SECRET}"\n` };
const by = (job: string, role = "engineer") => `\n\nSvc-Role: ${role}\nSvc-Job: ${job}`;

/** A repo on its branch `svc/x`, one commit behind which `main` stands. */
async function branched(files: Files = {}): Promise<TempRepo> {
  const repo = await tempRepo({ files: { a: "1\n", ...files }, commit: true });
  await repo.git("switch", "--quiet", "-c", "svc/x");
  return repo;
}

interface Asked {
  readonly given?: string;
  readonly ciRoles?: string[];
  /** Nobody works on it; it is about to be merged. */
  readonly merging?: true;
  /** What svc stored; nothing, as after a reset of the database. */
  readonly makers?: CommitMakers;
}

async function guarded(repo: TempRepo, asked: Asked = {}): Promise<GuardResult> {
  using checkout = await checkoutAt(repo.path);
  const [head, into] = [(await repo.git("rev-parse", "svc/x")).trim(), "refs/heads/main"];
  const given = asked.given ?? (await repo.git("rev-parse", "main")).trim();
  const guardrails = guardrailsOf({
    guardrails: {
      ...{ deny_paths: ["vendor/**"], deny_commands: [], secret_scan: true },
      allow_ci_roles: asked.ciRoles ?? [],
    },
  });
  return await guardBranch({ tree: checkout, guardrails }, {
    ...{ head, into, commits: await checkout.git.commitsSince(head, into) },
    makers: asked.makers ?? new Map(),
    ...(asked.merging === undefined && { by: { job: "j1", role: "engineer", given } }),
  });
}

const CLEAN: GuardResult = { objections: [], foreign: [] };

Deno.test("a branch of git_commit's commits goes on, binary files and removals too", async () => {
  await using repo = await branched({ old: "1\n" });
  await Deno.remove(`${repo.path}/old`);
  await repo.commit(`feat: one${by("j1")}`, { "b.bin": new Uint8Array([0, 1, 2]), a: "2\n" });
  assert.deepEqual(await guarded(repo), CLEAN);
  assert.deepEqual(await guarded(repo, { merging: true }), CLEAN);
});

Deno.test("a secret counts in each commit, also when it was taken out again, and is never told", async () => {
  await using repo = await branched();
  const id = await repo.commit(`feat: key${by("j1")}`, { ...KEY, a: "2\n" });
  await repo.commit(`fix: no key${by("j1")}`, { "key.txt": "token = read()\n" });
  await repo.commit(`fix: a${by("j1")}`, { a: "3\n" });
  const { objections } = await guarded(repo);
  assert.match(objections[0]!, /^secrets in its commits: key\.txt:1: /);
  assert.match(objections[0]!, new RegExp(`\\(commit \\w{12}, ${id.slice(0, 12)}\\)`));
  assert.ok(!objections[0]!.includes(SECRET.slice(4, 20)));
});

Deno.test("a secret in a commit's message counts", async () => {
  await using repo = await branched();
  await repo.commit(`fix: ${KEY["key.txt"]}${by("j1")}`, { a: "2\n" });
  assert.match((await guarded(repo)).objections[0]!, /the commit message:1: /);
});

const MARKED = { "key.txt": `# one\ntoken = "${SECRET}" # svc:allow\n# two\n` };

Deno.test("a marker that the branch brings counts for nothing, neither in a file nor in a message", async () => {
  await using repo = await branched();
  await repo.commit(`feat: key${by("j1")}`, MARKED);
  assert.match((await guarded(repo)).objections[0]!, /^secrets in its commits: key\.txt:2: /);
  await repo.git("reset", "--quiet", "--hard", "main");
  await repo.commit(`fix: ${MARKED["key.txt"]}${by("j1")}`, { a: "2\n" });
  assert.match((await guarded(repo)).objections[0]!, /the commit message:\d: /);
});

Deno.test("a marker that stands on the default branch lets its secret through, edited or moved, and no other", async () => {
  await using repo = await branched(MARKED);
  await repo.commit(`docs: x${by("j1")}`, {
    "key.txt": MARKED["key.txt"].replace("# two", "# three").replace("# one", "# zero\n# one"),
  });
  assert.deepEqual(await guarded(repo), CLEAN);
  await repo.git("mv", "key.txt", "moved.txt");
  await repo.commit(`refactor: move${by("j1")}`);
  assert.deepEqual(await guarded(repo), CLEAN);
  await repo.commit(`feat: more${by("j1")}`, { "moved.txt": `x = "${OTHER}" # svc:allow\n` });
  assert.match((await guarded(repo)).objections[0]!, /moved\.txt:1: /);
});

Deno.test("a baseline counts as the default branch has it, in the words of the checkout it does not", async () => {
  await using repo = await branched(KEY);
  await repo.git("switch", "--quiet", "main");
  using checkout = await checkoutAt(repo.path);
  const sources = workTree(checkout.git, {
    readTree,
    signal: new AbortController().signal,
    progress() {},
  });
  await scanRepo(sources, {
    ...{ root: repo.path, folder: checkout.folder, clock: checkout.clock, writeBaseline: true },
  });
  await repo.git("switch", "--quiet", "svc/x");
  await repo.git("commit", "-q", "--allow-empty", "-m", `x${by("j1")}`);
  await repo.write("key.txt", `# a comment\n${KEY["key.txt"]}`);
  await repo.git("commit", "-q", "-m", `docs: x${by("j1")}`, "key.txt");
  assert.match((await guarded(repo)).objections[0]!, /^secrets in its commits: key\.txt:2: /);
  await repo.git("switch", "--quiet", "main");
  await repo.commit("chore: known secrets");
  assert.deepEqual(await guarded(repo), CLEAN);
  await repo.git("switch", "--quiet", "svc/x");
  await repo.commit(`feat: more${by("j1")}`, { "more.txt": `x = "${OTHER}" # svc:allow\n` });
  assert.match((await guarded(repo)).objections[0]!, /^secrets in its commits: more\.txt:1: /);
});

Deno.test("a baseline that the branch brings is a protected file", async () => {
  await using repo = await branched();
  await repo.commit(`chore: known${by("j1")}`, { ".harness/secret-baseline.json": "{}\n" });
  await repo.git("switch", "--quiet", "main");
  assert.match((await guarded(repo)).objections[0]!, /protected files: .*secret-baseline\.json/);
});

Deno.test("protected files count when they are left changed", async () => {
  await using repo = await branched({ ".harness/manifest.yaml": "version: 1\n" });
  const ci = ".github/workflows/ci.yml";
  await repo.commit(`feat: x${by("j1")}`, {
    ...{ ".harness/manifest.yaml": "version: 2\n", "vendor/x": "1\n" },
    [ci]: "on: push\n",
  });
  const { objections: [kept] } = await guarded(repo);
  for (const path of [".harness/manifest.yaml", ci, "vendor/x"]) {
    assert.ok(kept!.includes(path), kept);
  }
  assert.ok(!(await guarded(repo, { ciRoles: ["engineer"] })).objections[0]!.includes(ci));
  await repo.git("rm", "--quiet", "-r", ci, "vendor");
  await repo.commit(`fix: back${by("j1")}`, { ".harness/manifest.yaml": "version: 1\n" });
  assert.deepEqual(await guarded(repo), CLEAN);
});

Deno.test("what the default branch brings by a merge is not the branch's, taking it back is", async () => {
  await using repo = await branched({ ".harness/manifest.yaml": "version: 1\n" });
  await repo.commit(`feat: x${by("j0")}`, { b: "1\n" });
  await repo.git("switch", "--quiet", "main");
  await repo.commit("rules", { ".harness/manifest.yaml": "version: 2\n" });
  await repo.git("switch", "--quiet", "svc/x");
  await repo.git("merge", "--quiet", "--no-commit", "main");
  await repo.commit(`merge main\n\nSvc-Role: person`);
  assert.deepEqual(await guarded(repo, { merging: true }), CLEAN);
  await repo.git("reset", "--quiet", "--hard", "HEAD^");
  await repo.git("merge", "--quiet", "--no-commit", "main");
  await repo.git("checkout", "HEAD", "--", ".harness/manifest.yaml");
  await repo.commit(`merge main\n\nSvc-Role: person`);
  const { objections: [kept] } = await guarded(repo, { merging: true });
  assert.match(kept!, /protected files: .*manifest\.yaml/);
});

Deno.test("a commit that comes up while a job works must be the job's own", async () => {
  await using repo = await branched();
  await repo.commit(`feat: one${by("j1")}`, { a: "2\n" });
  const claimed = by("j1"); // of a job that svc saw make it
  const others = ["", by("j0"), by("j1", "gardener"), "\n\nSvc-Role: person", claimed];
  for (const message of others) {
    const id = await repo.commit(`feat: x${message}`, { a: `${message}\n` });
    const makers = message === claimed ? made(id, "engineer") : new Map();
    const { objections, foreign } = await guarded(repo, { makers });
    assert.deepEqual(foreign, []);
    assert.match(objections[0]!, /^commits that git_commit did not make: /);
    assert.ok(objections[0]!.includes(`git reset --soft ${id.slice(0, 12)}^`), objections[0]);
    await repo.git("reset", "--quiet", "--hard", "HEAD^");
  }
});

Deno.test("an earlier commit is a job's or a person's by its trailers, else a person's to look at", async () => {
  await using repo = await branched();
  await repo.commit(`feat: one${by("j0")}`, { a: "2\n" });
  await repo.commit("fix: by hand\n\nSvc-Role: person", { a: "3\n" });
  const fine = (await repo.git("rev-parse", "HEAD")).trim();
  assert.deepEqual(await guarded(repo, { given: fine }), CLEAN);
  const given = await repo.commit("whose?", { a: "4\n" });
  await repo.commit(`feat: two${by("j1")}`, { a: "5\n" });
  for (const asked of [{ given }, { merging: true }] as const) {
    const { objections, foreign } = await guarded(repo, asked);
    assert.deepEqual(objections, []);
    assert.match(foreign[0]!, /"whose\?" by Ada\. Look at .*trailer "Svc-Role: person"/);
    assert.ok(foreign[0]!.includes(given.slice(0, 12)));
  }
});

Deno.test("a long list of findings is cut, and says how long it is", async () => {
  await using repo = await branched();
  for (const n of [1, 2, 3, 4, 5]) await repo.commit(`feat: ${n}`, { a: `${n + 1}\n` });
  assert.match((await guarded(repo)).objections[0]!, /"feat: 3" by Ada; and 2 more\. Take/);
});

/** A commit on the branch that no tool of svc made, by its bytes. */
async function rawCommit(
  repo: TempRepo,
  more: string,
  message: string,
  name = "A",
): Promise<void> {
  const [tree, parent] = ["HEAD^{tree}", "HEAD"].map((name) => repo.git("rev-parse", name));
  const who = `${name} <a@example.org> 1700000000 +0000`;
  const text = `tree ${(await tree!).trim()}\nparent ${(await parent!).trim()}\n` +
    `author ${who}\ncommitter ${who}\n${more}\n${message}`;
  const path = `${repo.path}/.git/raw-commit`;
  await Deno.writeTextFile(path, text);
  const id = await repo.git("hash-object", "-t", "commit", "-w", "--literally", path);
  await repo.git("reset", "--quiet", "--hard", id.trim());
}

Deno.test("a secret in an author, a header, a tag merged or a message after NUL stays here", async () => {
  const trailers = by("j1");
  const places: readonly (readonly [string, (repo: TempRepo) => Promise<unknown>])[] = [
    ["headers", (repo) => rawCommit(repo, `x-note ${SECRET}\n`, `feat: one${trailers}\n`)],
    [
      "headers",
      (repo) =>
        rawCommit(
          repo,
          `mergetag object 0\n type commit\n \n ${SECRET}\n`,
          `feat: one${trailers}\n`,
        ),
    ],
    ["headers", (repo) => rawCommit(repo, "", `feat: one${trailers}\n`, SECRET)],
    ["message", (repo) => rawCommit(repo, "", `feat: one${trailers}\n\0${SECRET}\n`)],
  ];
  for (const [place, make] of places) {
    await using repo = await branched();
    await make(repo);
    const { objections } = await guarded(repo);
    assert.match(objections.join("\n"), new RegExp(`secrets in its commits: .*${place}`), place);
    assert.ok(!objections.join("\n").includes(SECRET));
  }
});

Deno.test("a secret in a file's name, in UTF-32 or under gzip stays here, and its name is not told", async () => {
  const wide = Uint8Array.from(
    [...`token = "${SECRET}"\n`].flatMap((c) => [c.charCodeAt(0), 0, 0, 0]),
  );
  const files: Files = {
    [`notes/${SECRET}.txt`]: "1\n",
    "wide.txt": wide,
    "a.gz": new Uint8Array(gzipSync(KEY["key.txt"])),
  };
  for (const [name, content] of Object.entries(files)) {
    await using repo = await branched();
    await repo.commit(`feat: one${by("j1")}`, { [name]: content });
    const { objections } = await guarded(repo);
    assert.match(objections[0] ?? "", /^secrets in its commits: .*github-pat \(commit /, name);
    assert.ok(!objections[0]!.includes(SECRET));
  }
});

const CI = ".github/workflows/ci.yml";
const GARDENER = { ciRoles: ["gardener"] };
const made = (id: string, role: string, job = "j0"): CommitMakers => new Map([[id, { job, role }]]);

Deno.test("a commit has the rights of the role that svc stored for it, whatever it says of itself", async () => {
  await using repo = await branched();
  // The author is forged too.
  await repo.write(CI, "on: push\n");
  await repo.git("add", "-A");
  await repo.git("commit", "-qm", `ci: x${by("j0", "gardener")}`, "--author=gardener <g@svc>");
  const given = (await repo.git("rev-parse", "HEAD")).trim();
  for (const asked of [{ ...GARDENER, given }, { ...GARDENER, merging: true }] as const) {
    const gardeners = { ...asked, makers: made(given, "gardener") };
    assert.deepEqual(await guarded(repo, gardeners), CLEAN);
    for (const makers of [made(given, "engineer"), new Map()]) {
      const { objections, foreign } = await guarded(repo, { ...asked, makers });
      assert.match(objections[0]!, /^protected files: .*ci\.yml/);
      assert.deepEqual(foreign, []);
    }
  }
  // Whoever works on it now lends it no rights.
  const { objections } = await guarded(repo, { ciRoles: ["engineer"], given });
  assert.match(objections[0]!, /^protected files: .*ci\.yml/);
});

Deno.test("another role's commit gives no rights to whoever takes it over", async () => {
  await using repo = await branched();
  await repo.git("switch", "--quiet", "-c", "svc/ci", "main");
  const theirs = await repo.commit(`ci: x${by("j0", "gardener")}`, { [CI]: "on: push\n" });
  await repo.git("switch", "--quiet", "svc/x");
  await repo.commit(`feat: y${by("j1")}`, { b: "1\n" });
  await repo.git("cherry-pick", theirs);
  const makers = made(theirs, "gardener");
  const { objections } = await guarded(repo, { ...GARDENER, makers });
  assert.match(objections[0]!, /^commits that git_commit did not make: .*ci: x/);
  assert.match(objections[1]!, /^protected files: .*ci\.yml/);
  // Under the job's own name.
  await repo.git("commit", "--quiet", "--amend", "-m", `ci: x${by("j1")}`);
  assert.match((await guarded(repo, { ...GARDENER, makers })).objections[0]!, /^protected files: /);
  const given = (await repo.git("rev-parse", "HEAD")).trim();
  assert.match(
    (await guarded(repo, { ...GARDENER, given, makers })).objections[0]!,
    /^protected files: .*ci\.yml/,
  );
});

Deno.test("what a person amended, rebased or squashed goes on as nobody's own: without rights", async () => {
  const rewritten = {
    amended: [["commit", "-q", "--amend", "-m", `feat: two, mended${by("j0")}`]],
    rebased: [["rebase", "-q", "main"]],
    squashed: [
      ["reset", "-q", "--soft", "main~1"],
      ["commit", "-qm", "feat: all\n\nSvc-Role: person"],
    ],
  };
  for (const [how, calls] of Object.entries(rewritten)) {
    for (const path of ["b", CI]) {
      await using repo = await branched();
      const makers = new Map([
        ...made(await repo.commit(`feat: one${by("j0", "gardener")}`, { a: "2\n" }), "gardener"),
        ...made(
          await repo.commit(`feat: two${by("j0", "gardener")}`, { [path]: "1\n" }),
          "gardener",
        ),
      ]);
      await repo.git("switch", "--quiet", "main");
      await repo.commit("docs: else", { c: "1\n" });
      await repo.git("switch", "--quiet", "svc/x");
      for (const words of calls) await repo.git(...words);
      const { objections, foreign } = await guarded(repo, { ...GARDENER, merging: true, makers });
      assert.deepEqual(foreign, [], how);
      assert.equal(objections.length, path === CI ? 1 : 0, `${how}: ${objections}`);
    }
  }
});

Deno.test("commits that main had until a person rewrote it are told apart, with the way out", async () => {
  const rewritten = {
    "pulled with --rebase": async (repo: TempRepo) => {
      await repo.git("switch", "-qc", "theirs", "main~2");
      await repo.commit("feat: theirs", { theirs: "1\n" });
      await repo.git("switch", "-q", "main");
      await repo.git("rebase", "-q", "theirs");
    },
    squashed: async (repo: TempRepo) => {
      await repo.git("reset", "-q", "--soft", "main~2");
      await repo.git("commit", "-qm", "chore: all of it");
    },
  };
  for (const [how, rewrite] of Object.entries(rewritten)) {
    await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
    await repo.commit("chore(tickets): create T-0001", { t: "1\n" });
    await repo.commit("chore(tickets): move T-0001", { t: "2\n" });
    await repo.git("switch", "-qc", "svc/x");
    const given = await repo.commit(`feat: one${by("j1")}`, { a: "2\n" });
    await repo.git("switch", "-q", "main");
    await rewrite(repo);
    const { foreign } = await guarded(repo, { given });
    assert.equal(foreign.length, 1, how);
    assert.match(
      foreign[0]!,
      /^"main" was rewritten, .*: git rebase --fork-point main\. .*move T-/,
    );
    assert.doesNotMatch(foreign[0]!, /feat: one|trailer/);
    // What it says helps.
    await repo.git("switch", "-q", "svc/x");
    await repo.git("rebase", "-q", "--fork-point", "main");
    const mended = (await repo.git("rev-parse", "HEAD")).trim();
    assert.deepEqual(await guarded(repo, { given: mended }), CLEAN, how);
    // A commit of nobody is still one, beside those.
    await repo.commit("feat: nobody's", { b: "1\n" });
    const further = (await repo.git("rev-parse", "HEAD")).trim();
    assert.match((await guarded(repo, { given: further })).foreign.join(), /^commits that neither/);
  }
});

Deno.test("a commit that says it is a person's, or another job's, is looked at where svc knows better", async () => {
  for (const says of ["Svc-Role: person", "Svc-Role: gardener\nSvc-Job: j9"]) {
    await using repo = await branched();
    const given = await repo.commit(`feat: x\n\n${says}`, { a: "2\n" });
    assert.deepEqual(await guarded(repo, { given }), CLEAN);
    const { foreign } = await guarded(repo, { given, makers: made(given, "engineer") });
    assert.match(foreign[0]!, /^commits that neither a job nor a person says it made: .*feat: x/);
    // The person who looked amends it.
    await repo.git("commit", "--quiet", "--amend", "-m", "feat: y\n\nSvc-Role: person");
    const mended = (await repo.git("rev-parse", "HEAD")).trim();
    assert.deepEqual(
      await guarded(repo, { given: mended, makers: made(given, "engineer") }),
      CLEAN,
    );
  }
});
