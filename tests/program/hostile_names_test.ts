/** Names, keys and messages that act on a terminal, printed by every command on a real one (`script` of util-linux). */
import assert from "node:assert/strict";
import { type RunSite, runSite } from "tests/kit/run_site.ts";
import { CANARIES } from "tests/kit/canaries.ts";
import { printedBy } from "tests/kit/on_terminal.ts";

/** Writes the clipboard, clears the screen, forges a verdict, turns the direction, hides. */
const HOSTILE = "x\x1b]52;c;ZXZpbA==\x07\x1b[2J\nno secrets found\r\x9b31m\u202e\u200b\x7fy";
/** Git takes no control characters in a branch. */
const HOSTILE_BRANCH = "b\u202e\u200b\u009b31m";
const { line: SECRET, value: TOKEN } = CANARIES.find(({ rule }) => rule === "github-token") ??
  CANARIES[0]!;

async function plant({ repo }: RunSite): Promise<void> {
  // Lines of a text are its own.
  const text = HOSTILE.replaceAll(/[\n\r]/g, " ");
  const ticket = (id: string, front: string) =>
    repo.write(
      `docs/tickets/backlog/${id}-x.md`,
      `---\nid: ${id}\n${front}\n---\n\n# Context\n\n${text}\n\n# Acceptance\n\n- ${text}\n`,
    );
  const quoted = JSON.stringify(HOSTILE);
  await repo.write(`src/${HOSTILE}.js`, `${SECRET}\n`);
  await repo.write(`${HOSTILE}/Makefile`, `${HOSTILE}:\n\ttrue\n`);
  await repo.write("package.json", JSON.stringify({ name: HOSTILE, scripts: { test: HOSTILE } }));
  await repo.write(".harness/skills/x/SKILL.md", `---\ndescription: ${quoted}\n---\n`);
  await repo.write(
    ".harness/tools/repo_x.yaml",
    `version: 1\nname: repo_x\nabout: ${quoted}\n${quoted}: 1\n`,
  );
  await ticket(
    "T-0001",
    `title: ${quoted}\ntype: bug\npriority: p1\nrole: engineer\nsource: human\ncreated: 2026-01-01T00:00:00Z\nupdated: 2026-01-01T00:00:00Z`,
  );
  await ticket("T-0002", `${quoted}: [\n`);
  await repo.git("add", "-A");
  await repo.git("-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", HOSTILE);
  await repo.git("config", "user.name", "Ada \u202e\x1b[2J");
}

function mustBeHarmless(printed: ReadonlyMap<string, string>): void {
  for (const [line, text] of printed) {
    // deno-lint-ignore no-control-regex -- svc's own: tones, and the progress line
    const part = text.replaceAll(/\x1b\[(?:0|1|2|31|32|33)m|\r\x1b\[2K/g, "");
    const found = /[\p{Cc}\p{Cf}](?<!\n)/u.exec(part);
    assert.equal(
      found,
      null,
      `${line}: ${JSON.stringify(part.slice(Math.max(0, (found?.index ?? 0) - 80)))}`,
    );
    // A verdict of svc's own has numbers behind it.
    assert.doesNotMatch(part, /^no secrets found\s*$/m, line);
    assert.ok(!part.includes(TOKEN), line);
  }
}

const COMMANDS = [
  "svc doctor",
  "svc scan",
  "svc guardrails secret-scan",
  "svc guardrails install-hooks",
  `git checkout -q -b '${HOSTILE_BRANCH}'; svc doctor; git checkout -q -`,
  'for f in src/*.js; do echo >> "$f"; done; git add -A; svc internal hook pre-commit',
  "svc register",
  "svc init --dry-run",
  "svc update harness --dry-run",
  "svc tickets list",
  "svc tickets show T-0001",
  "svc tickets show T-0002",
  "svc tickets move T-0001 review --yes",
  "svc tools list",
  "svc tools run file_list",
  `svc tools run glob --args-json '{"pattern":"*"}'`,
  "svc tools run git_log --role gardener",
  `svc tools run ticket_read --args-json '{"id":"T-0001"}'`,
  "svc tools approve repo_x --yes",
  "svc trust",
  "svc trust explain engineer file_write",
  "svc scores",
  "svc models list",
  "svc models explain --role engineer",
  "svc code-intel metrics",
  "svc run engineer --dry-run --ticket T-0001",
  "svc explain T-0001",
  "svc eject",
];

Deno.test("no name, key or message of a repo acts on the terminal of whoever looks at it", async () => {
  await using site = await runSite({ scenario: { roles: {} } });
  await plant(site);
  mustBeHarmless(await printedBy(site, COMMANDS));
});

/** Typed by a person, or by a script that passes on what others wrote. */
const TYPED = [
  `svc "$(printf '${"no\\033]52;c;ZQ==\\007such\\nno secrets found"}')"`,
  `svc tickets show "$(printf 'T\\033[2J\\342\\200\\256')"`,
  `svc scan --repo "$(printf '/no\\033[2J/where')"`,
  `svc run "$(printf 'role\\033[2J\\nno secrets found')"`,
  `svc tools run "$(printf 'x\\033[2J')"`,
  `svc models explain --model-endpoint "$(printf 'http://x\\033[2J')"`,
];

Deno.test("no argument acts on the terminal, and a harness whose keys do is refused in words", async () => {
  await using site = await runSite({ scenario: { roles: {} } });
  await site.repo.write(
    ".harness/manifest.yaml",
    `version: 1\nproject: { name: x }\nroles: { ${JSON.stringify(HOSTILE)}: { prompt: x.md } }\n`,
  );
  const lines = [
    ...TYPED,
    "svc doctor",
    "svc run engineer",
    "svc start",
    "svc tools list",
    "svc trust",
  ];
  mustBeHarmless(await printedBy(site, lines));
});
