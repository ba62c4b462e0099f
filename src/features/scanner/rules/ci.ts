/** Rules on continuous integration. */
import type { FileRule, RepoRule, ScannedRepo } from "svc/features/scanner/rule.ts";
import { productFiles } from "./guidance.ts";

const CI =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.ya?ml|Jenkinsfile|\.travis\.yml|\.drone\.yml|bitbucket-pipelines\.yml|\.buildkite\/.+|\.woodpecker(?:\/.+|\.ya?ml)|\.forgejo\/workflows\/.+|\.gitea\/workflows\/.+|\.cirrus\.yml|\.builds\/.+|appveyor\.yml)$/;
const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;
const FEW = 3;
const CODE = "export const one = 1;\n";
const THREE = { "src/a.ts": CODE, "src/b.ts": CODE, "src/c.ts": CODE };

function ciFiles(repo: ScannedRepo): string[] {
  return [...repo.files.keys()].filter((path) => CI.test(path));
}

export const ciMissing: RepoRule = {
  id: "ci-missing",
  severity: "medium",
  type: "debt",
  about: "No continuous integration",
  why: "Whether the tests pass is known only to whoever ran them last, if anybody did.",
  fix: "Add a workflow that builds, lints and tests each push",
  scope: "repo",
  examples: {
    bad: [{ files: THREE }],
    good: [
      { files: { ...THREE, ".github/workflows/ci.yml": "on: push\n" } },
      { files: { ...THREE, ".gitlab-ci.yml": "test:\n" } },
      { files: { "src/a.ts": CODE } },
    ],
  },
  *check(repo) {
    if (productFiles(repo).length < FEW || ciFiles(repo).length > 0) return;
    yield { title: "No CI is configured", key: "ci" };
  },
};

const TESTS =
  /test|check|verif|\btox\b|\bnox\b|jest|spec|\bmake\b|\bjust\b|\btask\b|bazel|\bnix\b|\bci\b[^\n]{0,200}\brun\b|uses:\s*[^\s]{1,300}\/\.github\/workflows\//i;

export const ciWithoutTests: RepoRule = {
  id: "ci-without-tests",
  severity: "medium",
  type: "debt",
  about: "CI never runs the tests",
  why: "A green tick that ran no test is trusted like one that did.",
  fix: "Add a step that runs the tests to a workflow that runs on each push",
  scope: "repo",
  examples: {
    bad: [{
      files: {
        "src/a.test.ts": CODE,
        ".github/workflows/release.yml":
          "on: push\njobs:\n  a:\n    steps:\n      - run: npm publish\n",
      },
    }],
    good: [{
      files: {
        "src/a.test.ts": CODE,
        ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    steps:\n      - run: npm test\n",
      },
    }],
  },
  *check(repo) {
    const texts = ciFiles(repo).map((path) => repo.files.get(path)?.text);
    if (texts.length === 0 || texts.some((text) => text === undefined || TESTS.test(text))) return;
    const tested = [...repo.files.keys()].some((path) =>
      repo.pathFacts(path).test && repo.pathFacts(path).language !== undefined
    );
    if (tested) yield { title: "No CI file runs a test", key: "ci-tests" };
  },
};

export const ciActionMoving: FileRule = {
  id: "ci-action-moving",
  severity: "medium",
  type: "hygiene",
  about: "CI runs an action from a moving branch",
  why: "Whoever can push to that branch runs code in your CI, with its secrets.",
  fix: "Name a commit id, or at least a released tag",
  scope: "file",
  examples: {
    bad: [{
      files: { ".github/workflows/ci.yml": "steps:\n  - uses: someone/deploy@main\n" },
    }],
    good: [{
      files: {
        ".github/workflows/ci.yml":
          "steps:\n  - uses: actions/checkout@v5\n  - uses: ./.github/a\n",
      },
    }],
  },
  *check({ path, lines }) {
    if (!WORKFLOW.test(path)) return;
    for (const [at, line] of lines.entries()) {
      const [, action, ref] =
        /^\s*-?\s*uses:\s*["']?([\w.-]+\/[\w./-]+)@(main|master|develop|dev|HEAD)\b/
          .exec(line.slice(0, 300)) ?? [];
      if (action === undefined) continue;
      yield { line: at + 1, title: `"${action}" runs from branch "${ref}"`, key: action };
    }
  },
};

export const ciUntrustedCheckout: FileRule = {
  id: "ci-untrusted-checkout",
  severity: "high",
  type: "bug",
  about: "CI runs a stranger's code with the repo's secrets",
  why: "pull_request_target has write access and secrets; checking out the pull request's head " +
    "there hands both to anyone who opens one.",
  fix: "Use pull_request, or keep the checkout out of pull_request_target",
  scope: "file",
  examples: {
    bad: [{
      files: {
        ".github/workflows/pr.yml":
          "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v5\n" +
          "        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
      },
    }],
    good: [{
      files: {
        ".github/workflows/pr.yml":
          "on: pull_request\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v5\n" +
          "        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n",
        ".github/workflows/label.yml":
          "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/labeler@v5\n",
      },
    }],
  },
  *check({ path, text, lines }) {
    if (!WORKFLOW.test(path) || !/^[^#\n\r\u2028\u2029]*\bpull_request_target\b/m.test(text)) {
      return;
    }
    for (const [at, line] of lines.entries()) {
      if (
        !/^\s*ref:\s*.*github\.(?:event\.pull_request\.head\.|head_ref)/.test(line.slice(0, 300))
      ) continue;
      yield {
        line: at + 1,
        title: "pull_request_target checks out the pull request's head",
        key: line.trim(),
      };
    }
  },
};
