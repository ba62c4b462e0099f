/** Rules on the harness: a manifest that is not valid, has drifted, or leaves a guardrail open. */
import { stemOf } from "svc/core/path_parts.ts";
import type { Gap } from "svc/features/scanner/facts.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { RepoRule, ScannedRepo } from "svc/features/scanner/rule.ts";

const ROLE = "roles:\n  qa: {prompt: roles/qa.md, routes: {approved: {stop: done}}}\n";
const GUARDS = 'guardrails: {deny_paths: [".git/**", ".harness/.env*", "docs/tickets/**"]}\n';
const HEAD = "version: 1\nproject: {name: a}\n";
const withChecks = (rest: string) => `version: 1\nproject: {name: a, ${rest}}\n${ROLE}${GUARDS}`;
const HEALTHY = {
  [MANIFEST_PATH]: `${HEAD}${ROLE}${GUARDS}`,
  ".harness/roles/qa.md": "You review.\n",
  ".gitignore": ".harness/.env.local\n",
};

function manifestOf({ manifest }: ScannedRepo): Manifest | undefined {
  return manifest !== undefined && "says" in manifest ? manifest.says : undefined;
}

export const manifestInvalid: RepoRule = {
  id: "manifest-invalid",
  severity: "high",
  type: "bug",
  about: "The harness manifest is not valid",
  why: "Nothing runs on this repo until it is mended.",
  fix: `Correct ${MANIFEST_PATH} where the message says`,
  scope: "repo",
  examples: {
    bad: [{ files: { [MANIFEST_PATH]: "version: 7\n" } }],
    good: [{ files: HEALTHY }, { files: { "a.txt": "No harness.\n" } }],
  },
  *check({ manifest }) {
    if (manifest === undefined || "says" in manifest) return;
    yield {
      path: MANIFEST_PATH,
      title: "The manifest cannot be used",
      detail: manifest.fault,
      key: "invalid",
    };
  },
};

/** A whole folder that no commit has, such as `.venv` or `node_modules`, is what the set-up makes. */
function isMade(repo: ScannedRepo, { setup }: Manifest["project"], path: string): boolean {
  return setup.length > 0 && path.includes("/") && !repo.has(path.slice(0, path.indexOf("/")));
}

/** Why a check's command cannot run, as far as the repo's own files tell; undefined when it can. */
function missingTarget(
  repo: ScannedRepo,
  project: Manifest["project"],
  [program, ...args]: readonly string[],
): string | undefined {
  const makefile = repo.files.get("Makefile")?.text;
  const target = args.find((arg) => !/^-|=|^\d+$/.test(arg));
  // In another folder, or of another file.
  const other = args.some((arg) =>
    /^-[CfI]|^--(?:directory|file|makefile|include-dir)\b/.test(arg)
  );
  if (program === "make" && target !== undefined && makefile !== undefined && !other) {
    const known = /include |%|^\.DEFAULT\s*:/m.test(makefile) ||
      makefile.split("\n").some((line) => line.split(":", 1)[0]!.split(/\s+/).includes(target));
    return known ? undefined : `Makefile has no target "${target}"`;
  }
  const scripts = repo.files.get("package.json")?.text;
  // What `yarn run` and `bun run` take may be a program or a file, too.
  if (/^p?npm$/.test(program ?? "") && args[0] === "run" && scripts !== undefined) {
    const script = args.slice(1).find((arg) => !arg.startsWith("-"));
    const elsewhere = args.some((arg) =>
      /^-[wCFr]|^--(?:prefix|workspace|dir|filter|recursive)/.test(arg)
    );
    const there = script === undefined || elsewhere || scripts.includes(`"${script}"`);
    return there ? undefined : `package.json has no script "${script}"`;
  }
  if (program?.includes("/") && !program.startsWith("/")) {
    const path = program.replace(/^\.\//, "");
    return repo.has(path) || isMade(repo, project, path) ? undefined : `there is no "${program}"`;
  }
  return undefined;
}

export const manifestDrift: RepoRule = {
  id: "manifest-drift",
  severity: "medium",
  type: "bug",
  about: "The harness manifest names what is gone",
  why: "A role without its prompt, or a check that cannot start, fails each job that needs it.",
  fix: `Bring ${MANIFEST_PATH} and the files it names in line`,
  scope: "repo",
  examples: {
    bad: [
      { files: { [MANIFEST_PATH]: `${HEAD}${ROLE}${GUARDS}` } },
      {
        files: {
          ...HEALTHY,
          Makefile: "test:\n\ttrue\n",
          [MANIFEST_PATH]: withChecks("checks: [{name: lint, run: [make, lint]}]"),
        },
      },
      {
        files: {
          ...HEALTHY,
          "scripts/build.sh": "true\n",
          [MANIFEST_PATH]: withChecks(
            "setup: [{name: npm, run: [npm, ci]}], checks: [{name: test, run: [scripts/test.sh]}]",
          ),
        },
      },
      {
        files: {
          ...HEALTHY,
          [MANIFEST_PATH]: withChecks("checks: [{name: test, run: [.venv/bin/pytest]}]"),
        },
      },
    ],
    good: [
      { files: HEALTHY },
      {
        files: {
          ...HEALTHY,
          Makefile: "all test: a\n\ttrue\n",
          [MANIFEST_PATH]: withChecks("checks: [{name: test, run: [make, test]}]"),
        },
      },
      {
        files: {
          ...HEALTHY,
          Makefile: "all test:\n\ttrue\n",
          "package.json": '{"scripts": {"lint": "eslint ."}}\n',
          [MANIFEST_PATH]: withChecks(
            "checks: [{name: sub, run: [make, -C, sub, unit]}, {name: jobs, run: [make, -j, '4', test]}, " +
              "{name: quiet, run: [npm, run, --silent, lint]}, {name: web, run: [npm, run, e2e, --prefix, web]}, " +
              "{name: types, run: [yarn, run, tsc]}, {name: file, run: [bun, run, check.ts]}]",
          ),
        },
      },
      {
        files: {
          ...HEALTHY,
          Makefile: "all:\n\ttrue\n.DEFAULT:\n\tcd src && $(MAKE) $@\n",
          [MANIFEST_PATH]: withChecks("checks: [{name: test, run: [make, test]}]"),
        },
      },
      {
        files: {
          ...HEALTHY,
          [MANIFEST_PATH]: withChecks(
            "setup: [{name: venv, run: [python3, -m, venv, .venv]}], " +
              "checks: [{name: test, run: [.venv/bin/python, -m, pytest]}]",
          ),
        },
      },
    ],
  },
  *check(repo): Generator<Gap> {
    const manifest = manifestOf(repo);
    if (manifest === undefined) return;
    for (const [role, { prompt }] of Object.entries(manifest.roles)) {
      if (repo.has(`.harness/${prompt}`) || repo.has(prompt)) continue;
      yield {
        path: MANIFEST_PATH,
        title: `The prompt "${prompt}" of role "${role}" is gone`,
        key: `prompt ${role}`,
      };
    }
    for (const { name, run } of manifest.project.checks) {
      const fault = missingTarget(repo, manifest.project, run);
      if (fault === undefined) continue;
      yield {
        path: MANIFEST_PATH,
        title: `Check "${name}" cannot run: ${fault}`,
        key: `check ${name}`,
      };
    }
  },
};

export const rolePromptUnused: RepoRule = {
  id: "role-prompt-unused",
  severity: "low",
  type: "hygiene",
  about: "A role prompt that no role uses",
  why: "People edit it and wonder why nothing changes.",
  fix: `Name it in ${MANIFEST_PATH}, or delete it`,
  scope: "repo",
  examples: {
    bad: [{ files: { ...HEALTHY, ".harness/roles/old.md": "You were.\n" } }],
    good: [{ files: { ...HEALTHY, ".harness/roles/README.md": "Prompts.\n" } }],
  },
  *check(repo) {
    const manifest = manifestOf(repo);
    if (manifest === undefined) return;
    const used = new Set(Object.values(manifest.roles).map(({ prompt }) => stemOf(prompt)));
    for (const path of repo.files.keys()) {
      if (!/^\.harness\/roles\/[^/]+\.md$/.test(path) || stemOf(path) === "README") continue;
      if (!used.has(stemOf(path))) yield { path, title: "No role uses this prompt", key: path };
    }
  },
};

export const harnessOutdated: RepoRule = {
  id: "harness-outdated",
  severity: "low",
  type: "hygiene",
  about: "The harness was generated by another version of svc",
  why: "Prompts and guardrails that have been improved since are not in use here.",
  fix: "svc update harness",
  scope: "repo",
  examples: {
    bad: [{
      files: { ...HEALTHY, [MANIFEST_PATH]: `${HEAD}harness_version: 0.0.1\n${ROLE}${GUARDS}` },
    }],
    good: [{ files: HEALTHY }],
  },
  *check(repo) {
    const made = manifestOf(repo)?.harness_version;
    if (made === undefined || made === repo.version) return;
    yield {
      path: MANIFEST_PATH,
      title: `The harness is of version ${made}, svc of ${repo.version}`,
      key: "harness_version",
    };
  },
};

const NEEDED = [".git/**", ".harness/.env*", "docs/tickets/**"];
const IGNORED =
  /^(?:\/|\*\*\/)?(?:\.harness\/)?(?:\.env\.local|\.env\*|\.env\.\*|\*\.local)$|^\/?\.harness\/?$/m;

export const guardrailGap: RepoRule = {
  id: "guardrail-gap",
  severity: "high",
  type: "bug",
  about: "A guardrail is open",
  why: "What agents may not touch is only what the guardrails name.",
  fix: `Close it in ${MANIFEST_PATH}`,
  scope: "repo",
  examples: {
    bad: [
      { files: { ...HEALTHY, [MANIFEST_PATH]: `${HEAD}${ROLE}` } },
      { files: { ...HEALTHY, ".gitignore": "dist/\n" } },
      {
        files: {
          ...HEALTHY,
          [MANIFEST_PATH]: `${HEAD}${ROLE}${GUARDS.replace("}", ", secret_scan: false}")}`,
        },
      },
    ],
    good: [{ files: HEALTHY }, { files: { ...HEALTHY, ".gitignore": "**/.env.local\n" } }],
  },
  *check(repo): Generator<Gap> {
    const manifest = manifestOf(repo);
    if (manifest === undefined) return;
    const path = MANIFEST_PATH;
    for (const needed of NEEDED) {
      if (manifest.guardrails.deny_paths.includes(needed)) continue;
      yield {
        path,
        title: `Agents are not kept from "${needed}"`,
        key: needed,
        fix: `Add "${needed}" to guardrails.deny_paths in ${path}`,
      };
    }
    if (!manifest.guardrails.secret_scan) {
      yield {
        path,
        title: "Commits of agents are not scanned for secrets",
        key: "secret_scan",
        fix: `Set guardrails.secret_scan: true in ${path}`,
      };
    }
    const ignores = repo.files.get(".gitignore")?.text ?? "";
    if (!repo.files.has(".harness/.gitignore") && !IGNORED.test(ignores)) {
      yield {
        path: ".gitignore",
        title: "Git does not ignore .harness/.env.local, which holds provider keys",
        key: ".env.local",
        fix: "Add .harness/.env.local to .gitignore",
      };
    }
  },
};
