/** Secrets that an agent's thread has no use for, such as a key of AWS: what it reads of them is not shown either. */
import assert from "node:assert/strict";
import { filesBelow } from "tests/kit/canaries.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";

const VALUE = "plain/canary+of-a-variable=4711";

Deno.test("a secret of svc's environment that a role reads in a file reaches no model, trace or database", async () => {
  const read = [{ name: "file_read", args: { path: "notes.txt" } }];
  const write = [{ name: "file_write", args: { path: "new.txt", content: "new\n" } }];
  const finish = [{ name: "finish", args: { disposition: "blocked", evidence: `it is ${VALUE}` } }];
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: [
          { reply: { calls: read } },
          { reply: { text: `I read ${VALUE}`, calls: write } },
          { always: true, reply: { calls: finish } },
        ],
      },
    },
  });
  await site.repo.commit("notes", {
    "notes.txt": `the key is ${VALUE}, they say\nit opens postgres\n`,
  });
  // A word that is a password somewhere is a word in files.
  const env = { ...site.env, AWS_SECRET_ACCESS_KEY: VALUE, POSTGRES_PASSWORD: "postgres" };
  const asked = [
    "run",
    "engineer",
    "--task",
    "look",
    "--model-endpoint",
    site.model.url,
    "--debug",
  ];
  for (const host of [[], HOST]) {
    const ran = await site.svcWith(env, ...asked, ...host);
    const sent = site.model.requests.map(({ text }) => text).join("\n");
    assert.match(sent, /the key is \[redacted\], they say/);
    assert.ok(!sent.includes(VALUE), "the model was sent it");
    assert.match(sent, /it opens postgres/);
    assert.match(ran.stderr, /I read \[redacted\]/);
    assert.ok(!(ran.stdout + ran.stderr).includes(VALUE), ran.stdout);
  }
  for (const [path, text] of await filesBelow(site.home)) {
    if (!path.endsWith("/notes.txt")) assert.ok(!text.includes(VALUE), path);
  }
});
