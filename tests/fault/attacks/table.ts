/** Attacks on svc: what each tries, the promise that it tries, and the tests that make it. */

export const PROMISES = {
  starts_nothing: "No repo starts a program, by whatever git setting, driver or hook",
  stays_inside: "Files outside the repo are neither read nor written",
  waits_for_nothing: "Nothing in a repo has svc wait without end",
  shows_plainly: "What others wrote acts on no terminal and no page",
  keeps_secrets: "A secret leaves neither the machine nor its file",
  only_reads: "Who may only read changes and starts nothing",
  a_persons_word: "What only a person may say, no job says",
  whose_commit: "A commit has the rights of the role that svc knows made it",
  offline: "A command that needs no network has none",
  contained: "With a sandbox, what a job starts leaves its work tree in no way",
  not_from_a_page: "A web page, a stranger or a forged delivery controls nothing",
  room_for_all: "Nobody keeps others out by sending slowly or much",
} as const;

export interface Attack {
  readonly attack: string;
  readonly promise: keyof typeof PROMISES;
  /** Files below `tests/`, each with names of its tests as they stand in the source. */
  readonly proofs: Readonly<Record<string, readonly string[]>>;
}

export const ATTACKS: readonly Attack[] = [
  {
    attack: "filters, drivers, fsmonitor, pagers, aliases and hooks in a repo's settings",
    promise: "starts_nothing",
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
    attack: "a .git file, commondir or work tree that leads to another repo",
    promise: "stays_inside",
    proofs: {
      "unit/platform/git/place_test.ts": [
        "open refuses a .git file that is no pointer, or leads nowhere or to a stray folder",
        "an open repo refuses a commondir that was planted later",
      ],
    },
  },
  {
    attack: "links exchanged for files and folders while svc works",
    promise: "stays_inside",
    proofs: {
      "unit/platform/files/folder_race_test.ts": [
        "Folder reaches nothing outside while a folder and a link exchange their names",
        "Folder reaches nothing outside while a file and a link exchange their names",
      ],
    },
  },
  {
    attack: "a linked .git/hooks, or core.hooksPath through a link",
    promise: "stays_inside",
    proofs: {
      "unit/features/guardrails/hooks_test.ts": [
        "no link leads a hook out of the repo, and none is followed to nowhere",
        "a hooks folder that serves other repos is refused with the way out",
      ],
    },
  },
  {
    attack: "a hostile module in the Worker of an agent",
    promise: "stays_inside",
    proofs: {
      "program/confinement_test.ts": [
        "a hostile module in the ${profile} profile reaches nothing outside",
        "the same attempts succeed where nothing confines them",
      ],
    },
  },
  {
    attack: "FIFOs, sockets and devices as git's files, refs, objects or .gitignore",
    promise: "waits_for_nothing",
    proofs: {
      "unit/platform/git/special_files_test.ts": [
        "a repo whose git would read a ${kind} is refused before git is started",
        "a call of git that waits for a FIFO ends, and says for which",
      ],
    },
  },
  {
    attack: "settings that name a FIFO outside: core.excludesFile, mailmap.file, include.path",
    promise: "waits_for_nothing",
    proofs: {
      "unit/platform/git/special_files_test.ts": [
        "a call of git that waits for what settings name ends, and says which settings",
      ],
    },
  },
  {
    attack: "YAML of a repo with tens of thousands of keys, aliases or brackets",
    promise: "waits_for_nothing",
    proofs: {
      "unit/platform/yaml_test.ts": ["a file of ${what} is read or refused soon"],
    },
  },
  {
    attack: "escape, bidi and zero-width characters in names, keys, subjects and arguments",
    promise: "shows_plainly",
    proofs: {
      "program/hostile_names_test.ts": [
        "no name, key or message of a repo acts on the terminal of whoever looks at it",
        "no argument acts on the terminal, and a harness whose keys do is refused in words",
      ],
      "browser/xss_test.ts": ["hostile text in any field stays text"],
    },
  },
  {
    attack: "a secret parted by characters that nobody sees",
    promise: "keeps_secrets",
    proofs: {
      "unit/core/redact_test.ts": ["redactor sees through escape sequences and unseen characters"],
      "unit/cli/page/page_test.ts": ["a secret that unseen characters part is redacted"],
    },
  },
  {
    attack: "a marker or baseline that the role brings itself, in a file or a message",
    promise: "keeps_secrets",
    proofs: {
      "unit/features/guardrails/commit_guard_test.ts": [
        "a marker that the branch brings counts for nothing, neither in a file nor in a message",
        "a baseline that the branch brings is a protected file",
      ],
    },
  },
  {
    attack: "a secret in a message, author, header, tag, file name, after NUL, in UTF-32 or gzip",
    promise: "keeps_secrets",
    proofs: {
      "unit/features/guardrails/commit_guard_test.ts": [
        "a secret in a commit's message counts",
        "a secret in an author, a header, a tag merged or a message after NUL stays here",
        "a secret in a file's name, in UTF-32 or under gzip stays here, and its name is not told",
      ],
      "unit/features/guardrails/secret_scan_test.ts": [
        "secretScan finds secrets after NULs, in wide strings, UTF-32, gzip and base64 of it",
      ],
    },
  },
  {
    attack: "a history that .git/shallow or a commit graph hides from the guard",
    promise: "keeps_secrets",
    proofs: {
      "unit/platform/git/branch_test.ts": [
        "commitsSince refuses a history that .git/shallow cuts off within the branch",
        "commitsSince believes no commit graph",
      ],
    },
  },
  {
    attack: "a script that commits a secret, the manifest or CI files past git_commit",
    promise: "keeps_secrets",
    proofs: {
      "unit/runtime/proof_test.ts": [
        "a secret that a script commits goes nowhere, and the ticket names the commit",
        "a script commits neither the manifest nor CI files into the default branch",
      ],
    },
  },
  {
    attack: "a harness whose knowledge routes or role prompts name .env, id_rsa or .git/config",
    promise: "keeps_secrets",
    proofs: {
      "program/credential_files_test.ts": [
        "whatever documents and prompts a repo names, no credential file comes into a prompt",
      ],
    },
  },
  {
    attack: "a person's .env committed by git_commit, to be read and pushed as a tracked file",
    promise: "keeps_secrets",
    proofs: {
      "unit/features/tools/credential_files_test.ts": [
        "git_commit leaves a person's credential files out, so that they stay untracked",
      ],
    },
  },
  {
    attack: "a private key that git tracks, read by its middle: by lines, searches and patches",
    promise: "keeps_secrets",
    proofs: {
      "unit/features/tools/key_lines_test.ts": [
        "no part of a key is shown, from whichever line it is read or searched",
        "no part of a key is in a patch, whichever of its lines the change is near",
      ],
    },
  },
  {
    attack: "hostile data in every column of every table, for a report that leaves the machine",
    promise: "keeps_secrets",
    proofs: {
      "unit/features/telemetry/make_report_test.ts": [
        "hostile data in every column of every table leaves no trace in the report, nor in the request that sends it",
      ],
      "contract/telemetry_triage_test.ts": [
        "many patterns are ten tickets at a time; a forged intake names nothing of its own",
      ],
    },
  },
  {
    attack: "a model that calls every tool with arguments that climb, forge and inject",
    promise: "only_reads",
    proofs: {
      "fault/hostile_model_test.ts": [
        "a hostile model with every tool changes and starts nothing under ${policy}",
      ],
      "fault/tool_arguments_test.ts": [
        "no argument of a tool reaches outside the work tree, git's settings or a terminal",
      ],
    },
  },
  {
    attack: "svc called from a job to move tickets, set trust or approve tools",
    promise: "a_persons_word",
    proofs: {
      "program/job_speaks_test.ts": [
        "a job cannot speak for a person through svc, whatever way its command starts it",
      ],
      "unit/cli/given_by_test.ts": ["each command declares who may give it, and why"],
      "unit/platform/process/job_mark_test.ts": [
        "a program that svc starts for a job bears a mark that it cannot take off by itself",
      ],
    },
  },
  {
    attack: "forged trailers: an engineer who commits as a gardener",
    promise: "whose_commit",
    proofs: {
      "unit/runtime/proof_test.ts": [
        "what an engineer commits as a gardener has no gardener's rights in the next job either",
      ],
    },
  },
  {
    attack: "connections by svc itself, by its threads, and by a git that svc starts",
    promise: "offline",
    proofs: {
      "unit/platform/confined/give_up_test.ts": [
        "offline: no thread and no program reaches a network, and folders are still held",
        "output: nothing is left but to read",
      ],
      "contract/authority_test.ts": [
        "each command keeps what its effect needs, and no more",
        "git, as each command starts it, reaches no network",
      ],
    },
  },
  {
    attack: "fifty attempts of a job's program to leave bubblewrap",
    promise: "contained",
    proofs: {
      "unit/platform/sandbox/escape_test.ts": [
        "nothing of fifty and more attempts leaves Debian's bubblewrap as svc runs it",
        "without a sandbox most attempts succeed, so that they can fail",
      ],
      "program/sandbox_test.ts": [
        "a job's commands reach neither svc nor the home nor git's folder",
      ],
    },
  },
  {
    attack: "other hosts, origins, methods, types and bodies on every route",
    promise: "not_from_a_page",
    proofs: {
      "contract/http_matrix_test.ts": [
        "a request of another origin is refused, and a control without one",
        "a request for another host is refused, whatever route it asks for",
        "without the session's own CSRF token no control is reached",
      ],
      "fault/http_fuzz_test.ts": ["bytes that are nearly requests crash nothing"],
    },
  },
  {
    attack: "deliveries without a signature, or with a forged one",
    promise: "not_from_a_page",
    proofs: {
      "unit/http/control_test.ts": [
        "what the head tells is answered before a byte of the body is sent",
      ],
      "unit/features/webhooks/signature_test.ts": [
        "signedByGithub takes no other form, body or secret",
      ],
    },
  },
  {
    attack: "a page, a guessed token, or forged reports at the collector of reports",
    promise: "not_from_a_page",
    proofs: {
      "unit/http/collector_test.ts": [
        "who guesses tokens is slowed down, and keeps out nobody who has it",
        "size, schema, duplicate names, other keys and other places are refused, and nothing is stored",
      ],
    },
  },
  {
    attack:
      "a model's reply of fifty thousand calls, or of one call in twenty thousand named pieces",
    promise: "room_for_all",
    proofs: {
      "unit/features/models/client/reply_parts_test.ts": [
        "a reply of calls without end is cut, and takes no time to read",
      ],
    },
  },
  {
    attack: "a part of a model's reply with the number 4294967294, or parts without end",
    promise: "room_for_all",
    proofs: {
      "unit/features/models/client/vendors/numbers_test.ts": [
        "${protocol}: whatever numbers the parts of a reply have, it is read soon",
      ],
    },
  },
  {
    attack: "a model server that counts 9007199254740991 tokens, so that no job can be read again",
    promise: "room_for_all",
    proofs: {
      "unit/features/models/client/usage_test.ts": [
        "counts that no server can have had count as none, in sums too",
      ],
      "unit/features/models/client/vendors/numbers_test.ts": [
        "counts of tokens that no vendor can have had count as none",
      ],
    },
  },
  {
    attack: "bodies trickled until no room is left for others",
    promise: "room_for_all",
    proofs: {
      "unit/http/control_test.ts": [
        "whoever sends slowly, forged or not, keeps out nobody who sends less",
      ],
      "unit/http/body_test.ts": [
        "the connection that holds most gives way to those that hold less",
      ],
    },
  },
];
