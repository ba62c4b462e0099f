/** What other agents and their tools got wrong, and the tests that keep svc from it. */

export interface Advisory {
  /** As their finders, vendors and databases call it. */
  readonly ids: readonly string[];
  /** What went wrong there, in one line. */
  readonly what: string;
  /** Files below `tests/`, each with names of its tests as they stand in the source. */
  readonly proofs: Readonly<Record<string, readonly string[]>>;
}

const SPELLINGS = "protectionOf knows ${paths.length} spellings of ${protection}";

export const ADVISORIES: readonly Advisory[] = [
  {
    ids: ["CVE-2026-72718", "GHSA-r5pp-p5r8-466r"],
    what: "goose review: git ran core.fsmonitor of the repo",
    proofs: {
      "fault/hostile_repos_test.ts": ["no verb runs a hostile ${name}"],
      "fault/hostile_calls_test.ts": ["no git command at all runs a hostile ${name}"],
      "fault/hostile_commands_test.ts": ["no command of svc runs a hostile ${name}"],
      "fault/hostile_tools_test.ts": ["git_commit and a push run nothing of a hostile ${name}"],
      "fault/hostile_commits_test.ts": ["commitPaths runs nothing of a hostile ${name}"],
      "fault/hostile_worktrees_test.ts": ["a work tree of a hostile ${name} is made and merged"],
    },
  },
  {
    ids: ["CVE-2026-26268", "GHSA-8pcm-8jpx-hv8r"],
    what: "Cursor: an agent wrote git's hooks",
    proofs: {
      "unit/features/tools/hostile_test.ts": ["no spelling of .git is written or read"],
      "unit/platform/files/folder_test.ts": ["Folder changes nothing under a spelling of .git"],
      "unit/core/repo_path_test.ts": [SPELLINGS],
      "unit/features/trust/hook_folders_test.ts": ["no role writes below a folder of hooks"],
      "unit/runtime/session/session_rules_test.ts": [
        "a hook of the work tree is neither written nor committed",
      ],
    },
  },
  {
    ids: ["CVE-2026-55607", "GHSA-7835-87q9-rgvv"],
    what: "Claude Code: a work tree's files led to another repo",
    proofs: {
      "unit/platform/git/place_test.ts": [
        "open refuses a .git file that is no pointer, or leads nowhere or to a stray folder",
        "an open repo refuses a commondir that was planted later",
      ],
      "unit/platform/confined/brokered_repo_test.ts": [
        "no other repo is reached: outside, nested, linked, or by a forged place",
      ],
    },
  },
  {
    ids: ["CVE-2026-88968", "CVE-2026-39861", "CVE-2026-25724", "CVE-2026-50549", "CVE-2026-34452"],
    what: "several: a link was put in place between the check and the use",
    proofs: {
      "unit/platform/files/folder_race_test.ts": [
        "Folder reaches nothing outside while a folder and a link exchange their names",
        "Folder reaches nothing outside while a file and a link exchange their names",
      ],
    },
  },
  {
    ids: ["SymJack"],
    what: "six agents: a copy through a link onto the agent's own settings",
    proofs: {
      "unit/platform/files/folder_test.ts": [
        "Folder refuses a link, a FIFO or a folder in place of a file",
        "Folder.write refuses a file with a second hard link",
      ],
      "unit/features/tools/hostile_test.ts": [
        "no file tool follows a link, opens a FIFO or a device, or takes another root",
      ],
    },
  },
  {
    ids: ["GHSA-w5fx-fh39-j5rw", "CVE-2026-50548"],
    what: "Codex, Cursor: a folder that the model chose became the root",
    proofs: {
      "unit/features/tools/command_run_test.ts": [
        "command_run stays below the root and follows no link with cwd",
      ],
    },
  },
  {
    ids: ["CVE-2025-61260"],
    what: "Codex: the repo's .env moved its settings, whose programs were started",
    proofs: {
      "program/repo_env_test.ts": ["no file of a repo sets a variable of svc or starts a program"],
    },
  },
  {
    ids: [
      ...["CVE-2025-59536", "CVE-2025-65099", "CVE-2025-59828", "CVE-2026-21852"],
      "CVE-2026-25725",
    ],
    what: "Claude Code: settings of the repo counted before it was trusted, and redirected keys",
    proofs: {
      "unit/features/models/choose/allowed_endpoint_test.ts": [
        "refusalOf: a repo's endpoint is used on loopback and at allowed origins only",
      ],
      "unit/features/models/choose/route_test.ts": [
        "routeFor gives a key to its own provider, and none to a place that the repo named",
      ],
      "unit/features/models/choose/credentials_test.ts": [
        "findKey takes no key from a tracked file: it is the repo's word",
      ],
      "unit/features/models/transport_test.ts": [
        "ask follows no redirect, so that another server gets neither key nor prompt",
      ],
    },
  },
  {
    ids: ["GHSA-wpqr-6v78-jr5g"],
    what: "Gemini CLI: running without questions trusted the workspace",
    proofs: {
      "program/start_test.ts": ["svc start refuses what it cannot begin with, before it changes"],
      "unit/features/trust/policy_test.ts": [
        "decide allows nothing but read and finish in observer profile, and nothing in isolated",
      ],
    },
  },
  {
    ids: ["CVE-2026-22708", "CVE-2025-62354"],
    what: "Cursor: words of the shell and variables got past the list of allowed commands",
    proofs: {
      "unit/features/tools/command_run_test.ts": [
        "command_run passes on nine variables, and no secret of svc",
        "command_run needs the shell capability for a shell by any spelling",
      ],
      "unit/platform/process/program_test.ts": ["childEnv refuses to add any other variable"],
    },
  },
  {
    ids: [
      ...["CVE-2025-64755", "CVE-2025-66032", "CVE-2025-54795", "CVE-2026-25722"],
      "GHSA-cv2p-68f4-f4pw",
    ],
    what: "Claude Code, picoclaw: commands that only read, put so that they wrote",
    proofs: {
      "fault/command_bypass_test.ts": [
        "an observer starts no process, however the command is put",
      ],
    },
  },
  {
    ids: ["CVE-2025-68143", "CVE-2026-27735", "GHSA-vjqx-cfc4-9h6v", "CVE-2022-25912"],
    what: "mcp-server-git, simple-git: values became options of git, paths left the repo",
    proofs: {
      "unit/features/tools/git_looks_test.ts": [
        "no value of a git tool's argument becomes an option, a range or another place",
      ],
      "unit/platform/git/git_test.ts": [
        "every verb refuses a value that git would take for something else",
      ],
      "unit/features/tools/git_push_test.ts": [
        "pushBranch refuses URLs that name programs, other protocols or passwords",
      ],
    },
  },
  {
    ids: ["CVE-2025-59944"],
    what: "Cursor: a protected name in other letters was another name",
    proofs: {
      "unit/core/repo_path_test.ts": [
        SPELLINGS,
        "protectionOf sees .git through any mix of case, ignorable characters and endings",
      ],
    },
  },
  {
    ids: ["CVE-2026-46406"],
    what: "Claude Code: a temporary file of a name that others could foresee",
    proofs: {
      "unit/platform/files/atomic_replace_test.ts": [
        "a temp has a name that nobody foresees, and only its owner reads it",
        "what waits under the name of a temp is neither followed nor written",
      ],
    },
  },
  {
    ids: ["anthropics/claude-code#4964", "GHSA-fqfh-778m-2v32"],
    what: "Claude Code, gh: a program named git in the current folder was run",
    proofs: {
      "unit/platform/process/process_test.ts": ["run never takes a program planted in its folder"],
      "unit/platform/process/program_test.ts": [
        "resolveProgram skips what really lies in a refused folder",
      ],
      "unit/features/tools/command_run_test.ts": [
        "command_run takes no program that the repo planted under a bare name",
      ],
    },
  },
  {
    ids: ["CVE-2026-109561"],
    what: "goose: an approval of an earlier mode went on counting",
    proofs: {
      "unit/runtime/session/session_test.ts": [
        "a session's trust is read for each call, and refusals are recorded",
      ],
      "unit/runtime/session/session_rules_test.ts": [
        "an edit of the manifest counts from the next call on, in each of its parts",
      ],
      "unit/features/trust/trust_store_test.ts": [
        "a change of trust in another process counts from the next call of a run on",
      ],
    },
  },
  {
    ids: ["CVE-2026-111079"],
    what: "goose: the history was sent to the model without being redacted",
    proofs: {
      "unit/features/models/request_test.ts": [
        "each request is a byte-identical extension of the one before (${tools})",
      ],
      "program/local_keys_test.ts": [
        "a key of .env.local reaches no model, no trace and no output of a tool",
      ],
    },
  },
  {
    ids: ["CVE-2025-48384", "CVE-2024-32002"],
    what: "git: submodules, their hooks, and bare repos in a folder of another",
    proofs: {
      "fault/hostile_repos_test.ts": ["no verb runs a hostile ${name}"],
      "unit/platform/git/place_test.ts": [
        "open refuses a git that is too old, and one that lies in the repo",
      ],
    },
  },
];
