import assert from "node:assert/strict";
import type { CommandText } from "svc/cli/command.ts";
import { type Flag, flagName } from "svc/cli/flags.ts";
import { mustBePersons } from "svc/cli/given_by.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import { svc } from "tests/kit/entrance.ts";

/** What a program that a job started may not say, with the flags that make it so. */
const PERSONS: Readonly<Record<string, readonly string[]>> = {
  "auth github clear-local": [],
  "auth github setup": [],
  "checks try": [],
  "checks waive": [],
  "db copy": [],
  "doctor": ["servers"],
  "eject": ["apply"],
  "guardrails install-hooks": [],
  "guardrails secret-scan": ["writeBaseline"],
  "inbox recheck": [],
  "inbox undo": [],
  "init": [],
  "jobs resume": [],
  "mcp serve": ["acknowledgeHostExecution"],
  "jobs cancel": [],
  "jobs limit": [],
  "jobs retry": [],
  "jobs tell": [],
  "models credentials write-local-env": [],
  "nodes drain": [],
  "nodes forget": [],
  "nodes pause": [],
  "nodes resume": [],
  "nodes stop": [],
  "models evaluate": [],
  "models override": [],
  "path setup": [],
  "cleanup": [],
  "prune": ["apply"],
  "register": [],
  "release backfill-notes": [],
  "release notes": [],
  "run": [],
  "scan": ["tickets"],
  "scores export": ["createInterventionDebt"],
  "serve": [],
  "setup": [],
  "start": [],
  "telemetry collect": [],
  "telemetry export": [],
  "telemetry send": [],
  "telemetry triage-foundation": [],
  "tickets answer": [],
  "tickets approve": [],
  "tickets assign": [],
  "tickets edit": [],
  "tickets move": [],
  "tickets new": [],
  "tickets send-back": [],
  "tickets unblock": [],
  "tools list": ["servers"],
  "tools approve": [],
  "tools run": ["acknowledgeHostExecution"],
  "trust set": [],
  "update harness": [],
  "update tool": [],
  "validation agent-smoke": [],
};

/** These only look, or write records that count for nothing. */
const ANYONES: readonly string[] = [
  "auth github check",
  ...["checks run", "code-intel benchmark", "code-intel metrics", "completion", "docsync audit"],
  ...["costs", "dashboard secret", "inbox", "tickets review"],
  "explain",
  ...[
    "internal confinement",
    "internal hook",
    "jobs list",
    "jobs logs",
    "jobs show",
    "internal sandbox",
    "models eligible",
    "models explain",
    "models list",
    "nodes",
  ],
  "scores",
  "status",
  ...["telemetry preview", "telemetry status"],
  ...["tickets list", "tickets show", "trust", "trust explain", "update check", "version"],
];

function wordFor({ choices, kind, min }: Flag<unknown>): string {
  return choices?.[0] ?? (kind === "whole" || kind === "number" ? String(min) : "x");
}

/** The least that the command can be called with. */
function leastWords(path: string, { args = {}, flags, rest }: CommandText): string[] {
  const needed = Object.entries(flags).filter(([key, { required }]) =>
    required || TREE.commands[path]!.givenBy.with?.includes(key)
  );
  return [
    ...path.split(" "),
    ...Object.values(args).filter(({ required }) => required).map(wordFor),
    ...needed.flatMap(([key, flag]) => [
      `--${flagName(key)}`,
      ...(flag.kind === "switch" ? [] : [wordFor(flag)]),
    ]),
    ...(rest === undefined ? [] : ["--", "true"]),
  ];
}

Deno.test("each command declares who may give it, and why", () => {
  const declared = Object.entries(TREE.commands);
  const persons = declared.filter(([, { givenBy }]) => givenBy.who === "person");
  assert.deepEqual(
    Object.fromEntries(persons.map(([path, { givenBy }]) => [path, givenBy.with ?? []])),
    PERSONS,
  );
  const others = declared.filter(([, { givenBy }]) => givenBy.who === "anyone");
  assert.deepEqual(others.map(([path]) => path).sort(), [...ANYONES].sort());
  for (const [path, { givenBy, flags, modes }] of declared) {
    assert.match(givenBy.because, /^[a-zA-Z].{10,}[^.]$/, path);
    for (const key of givenBy.with ?? []) assert.ok(Object.hasOwn(flags, key), `${path}: ${key}`);
    assert.ok(!givenBy.asks || modes.includes("yes"), `${path} has no --yes`);
  }
});

for (const path of Object.keys(PERSONS)) {
  Deno.test(`svc ${path} is refused inside a job, before it looks at anything`, async () => {
    const words = leastWords(path, TREE.commands[path]!);
    const { code, stdout, stderr } = await svc(words, {
      env: { SVC_HOME: "/nonexistent/svc", SVC_JOB_ID: "outer/1/the-job/2" },
    });
    assert.equal(code, 3, stderr);
    assert.equal(stdout, "");
    assert.match(
      stderr,
      new RegExp(
        `^svc: Cannot run svc ${path}.* inside a job: .+, and this program belongs to job the-job\n` +
          `try: A person runs it, in a terminal of their own: svc ${path}`,
      ),
    );
  });
}

const inJob = {
  cwd: () => "/",
  stdinTerminal: true,
  stdout: { terminal: true, columns: () => 80, write: () => {} },
  env: { get: () => "x/1", all: () => ({}), forget: () => {} },
};
const common = { json: false, plain: false, yes: false, dryRun: false, rest: [] };

Deno.test("what only looks runs inside a job: previews, and commands without the flag that speaks", () => {
  for (const [path, text] of Object.entries(TREE.commands)) {
    const may = (given: Record<string, unknown>) =>
      mustBePersons(inJob, { path, text, given: { ...common, ...given } });
    if (text.modes.includes("dry-run")) may({ dryRun: true });
    if (text.givenBy.who === "anyone" || text.givenBy.with !== undefined) may({});
    for (const key of text.givenBy.with ?? []) {
      assert.throws(() => may({ [key]: true }), /refused|Cannot/);
    }
  }
});
