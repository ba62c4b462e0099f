/** Keys of `.harness/.env.local`: a program that reads them tells neither model, trace nor client. */
import assert from "node:assert/strict";
import { filesBelow } from "tests/kit/canaries.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";

const KEY = "canary-of-a-plain-key-4711";
const FILE = ".harness/.env.local";

Deno.test("a key of .env.local reaches no model, no trace and no output of a tool", async () => {
  const read = [{ name: "command_run", args: { argv: ["sh", "-c", `cat "$HOME/app/${FILE}"`] } }];
  const finish = [{ name: "finish", args: { disposition: "no_work", evidence: `saw ${KEY}` } }];
  await using site = await runSite({
    scenario: {
      roles: { engineer: [{ reply: { calls: read } }, { always: true, reply: { calls: finish } }] },
    },
  });
  await Deno.symlink(site.repo.path, `${site.env["HOME"]}/app`);
  // Another provider's than the one that the run asks.
  await site.repo.write(FILE, `OPENROUTER_API_KEY=${KEY}\n`);
  const ran = await site.run("engineer", "--task", "look", ...HOST, "--json");
  assert.equal(ran.code, 0, ran.stderr);
  const asked = site.model.requests.map((request) => JSON.stringify(request)).join("\n");
  assert.match(asked, /OPENROUTER_API_KEY=\[redacted\]/, "the model was told of the line");
  assert.ok(!asked.includes(KEY));
  assert.ok(!(ran.stdout + ran.stderr).includes(KEY));
  const args = JSON.stringify({ argv: ["cat", FILE] });
  const tool = await site.svc("tools", "run", "command_run", "--args-json", args, ...HOST);
  assert.match(tool.stdout, /OPENROUTER_API_KEY=\[redacted\]/);
  assert.ok(!(tool.stdout + tool.stderr).includes(KEY));
  for (const [path, text] of await filesBelow(site.home)) assert.ok(!text.includes(KEY), path);
});

Deno.test("a key of .env.local that a model says is not shown to those who watch it", async () => {
  const text = `The key is ${KEY}, I say.\nAnd once more: ${KEY}`;
  const finish = [{ name: "finish", args: { disposition: "no_work", evidence: "said" } }];
  const misnamed = [{ name: KEY, args: {} }];
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: [
          { reply: { text, calls: misnamed } },
          { always: true, reply: { text: `and ${KEY}`, calls: finish } },
        ],
      },
    },
  });
  await site.repo.write(FILE, `OPENROUTER_API_KEY=${KEY}\n`);
  const ran = await site.run("engineer", "--task", "look", "--debug");
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stderr, /^The key is \[redacted\], I say\.$/m);
  assert.match(ran.stderr, /^And once more: \[redacted\]$/m);
  assert.ok(!(ran.stdout + ran.stderr).includes(KEY), ran.stderr);
});

Deno.test("a key of .env.local gets into no commit of a role", async () => {
  const write = [{ name: "file_write", args: { path: "leak.txt", content: `key ${KEY}\n` } }];
  const commit = [{ name: "git_commit", args: { message: "feat: leak" } }];
  const finish = [{ name: "finish", args: { disposition: "blocked", evidence: "a secret" } }];
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: [write, commit].map((calls) => ({ reply: { calls } }))
          .concat([{ always: true, reply: { calls: finish } } as never]),
      },
    },
  });
  await site.repo.write(FILE, `OPENROUTER_API_KEY=${KEY}\n`);
  const ran = await site.run("engineer", "--task", "look", ...HOST, "--debug");
  assert.match(ran.stderr, /leak\.txt:1: a key that svc uses/);
  const all = await site.repo.git("log", "--all", "-p");
  assert.ok(!all.includes(KEY), "no branch has it, the one of the unfinished work neither");
});

Deno.test("a login in the URL of a remote reaches no model, no trace and no database", async () => {
  const [weak, token] = ["letmein p%w", "0a1b2c3d4e5f60718293"];
  const show = [{ name: "command_run", args: { argv: ["git", "remote", "-v"] } }];
  const evidence = `it is ${weak} or ${token}`;
  const finish = [{ name: "finish", args: { disposition: "blocked", evidence } }];
  await using site = await runSite({
    scenario: {
      roles: { engineer: [{ reply: { calls: show } }, { always: true, reply: { calls: finish } }] },
    },
  });
  await site.repo.git("remote", "add", "origin", `https://${token}@git.internal/o/r.git`);
  const pushed = `https://ada:${encodeURIComponent(weak)}@git.internal/o/r.git`;
  await site.repo.git("config", "remote.origin.pushurl", pushed);
  const up = "https://ada:up-stream-9@git.internal/up/r.git";
  await site.repo.git("remote", "add", "upstream", up);
  const ran = await site.run("engineer", "--task", "look", ...HOST, "--debug");
  const asked = site.model.requests.map(({ text }) => text).join("\n");
  assert.match(asked, /https:\/\/\[redacted\]@git\.internal\/o\/r\.git \(fetch\)/);
  assert.match(asked, /https:\/\/ada:\[redacted\]@git\.internal\/o\/r\.git \(push\)/);
  assert.match(ran.stdout, /it is \[redacted\] or \[redacted\]/);
  const args = JSON.stringify({ argv: ["git", "remote", "-v"] });
  const tool = await site.svc("tools", "run", "command_run", "--args-json", args, ...HOST);
  assert.match(tool.stdout, /https:\/\/\[redacted\]@git\.internal/);
  const said = [asked, ran.stdout, ran.stderr, tool.stdout];
  const kept = [...await filesBelow(site.home)].map(([, text]) => text);
  for (const value of [weak, encodeURIComponent(weak), token, "up-stream-9"]) {
    for (const text of [...said, ...kept]) assert.ok(!text.includes(value), value);
  }
});
