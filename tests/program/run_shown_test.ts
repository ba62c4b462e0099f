/** What `svc run` shows: a live line on a terminal, and nothing that a model writes acts on it. */
import assert from "node:assert/strict";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";
import { runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

const look = { reply: { calls: [{ name: "file_read", args: { path: "add.sh" } }] } };
const EVIL = "\x1b[2J\x1b]0;PWNED\x07\x9b31mred \u202egnp.exe\nsecond line";
// deno-lint-ignore no-control-regex -- they are what must not be there
const ACTS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

Deno.test("svc run shows what a model writes as text: evidence, its name, tool names, what it streams", async () => {
  const steps = [
    { reply: { text: `I ${EVIL}`, calls: [{ name: `no\x1b[2Jtool`, args: {} }] } },
    { reply: { calls: [{ name: "finish", args: { disposition: "blocked", evidence: EVIL } }] } },
  ];
  await using site = await runSite({
    scenario: {
      models: [{ id: "m\x1b[2J\u202eodel", object: "model", owned_by: "svc-fixture" }],
      roles: { engineer: [steps, steps] },
    },
  });
  const ran = await site.run("engineer", "--task", "x", "--debug");
  assert.equal(ran.code, 1, ran.stderr);
  assert.doesNotMatch(ran.stdout, ACTS);
  assert.doesNotMatch(ran.stderr, ACTS);
  assert.match(ran.stdout, /^␛\[2J␛\]0;PWNED␇<U\+009B>31mred <U\+202E>gnp\.exe\nsecond line$/m);
  assert.match(ran.stderr, /^I red gnp\.exe\nsecond line\nturn 1: notool unknown/m);
  const json = await site.run("engineer", "--task", "x", "--json");
  assert.doesNotMatch(json.stdout, ACTS);
  assert.equal(json.json().evidence, EVIL);
  assert.doesNotMatch(await Deno.readTextFile(json.json().trace), ACTS);
  const explained = await site.svc("explain", json.json().job);
  assert.equal(explained.code, 0, explained.stderr);
  assert.doesNotMatch(explained.stdout, ACTS);
});

Deno.test("svc run --debug takes out a secret that a model streams in pieces", async () => {
  const secret = `ghp_${new Draw(7).base62(36)}`;
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: [
          { reply: { text: secret, calls: look.reply.calls } },
          {
            reply: { calls: [{ name: "finish", args: { disposition: "blocked", evidence: "x" } }] },
          },
        ],
      },
    },
  });
  const ran = await site.run("engineer", "--task", "x", "--debug");
  assert.ok(!ran.stderr.includes(secret), ran.stderr);
  assert.match(ran.stderr, /^\[redacted:github-pat\]\nturn 1: file_read ok/m);
});

Deno.test("svc run has a live line on a terminal, and says at Ctrl-C how to go on", async () => {
  await using site = await runSite({
    scenario: { roles: { engineer: [look, { bad: "hang" }] } },
  });
  const words = [...svcCommand(), "run", "engineer", "--task", "x"];
  const line = [...words, "--model-endpoint", site.model.url].map((word) => `'${word}'`).join(" ");
  await using terminal = new PseudoTerminal({
    line: `sh -c "trap : INT; ${line}; echo over \\$?; sh"`,
    cwd: site.repo.path,
    env: { ...site.env, TERM: "xterm" },
  });
  const [, job = ""] = await terminal.seen(/job (\S+), trace \S+\.jsonl/);
  await terminal.seen(/turn 1: file_read ok/);
  // It is redrawn while nothing comes.
  const live = /turn 2 · asks the model · \d+ tokens · (\d+) s · last: file_read ok/;
  const [, early] = await terminal.seen(live);
  const [, late] = await terminal.seen(live);
  assert.ok(Number(late) > Number(early));
  await terminal.type("\x03");
  await terminal.seen(/svc: Interrupted/);
  await terminal.seen(new RegExp(`try: svc run engineer --resume ${job}`));
  await terminal.seen(/over 130/);
});
