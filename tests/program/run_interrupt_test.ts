/** Ctrl-C during `svc run`: what is left is named, and the run goes on where it was. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { FIX, HOST, type RunSite, runSite } from "tests/kit/run_site.ts";
import type { Step } from "tests/kit/model_scenario.ts";
import { svcCommand } from "tests/kit/script.ts";
import { exists, until } from "tests/kit/until.ts";

const [, , edit, , commits, submits] = FIX as readonly Step[];
const blocked = {
  reply: { calls: [{ name: "finish", args: { disposition: "blocked", evidence: "Ada decides" } }] },
};

function spawn({ repo, env, model }: RunSite, ...args: string[]): Deno.ChildProcess {
  const [program, ...first] = svcCommand();
  return new Deno.Command(program, {
    args: [...first, "run", ...args, "--model-endpoint", model.url],
    cwd: repo.path,
    env: { ...env },
    clearEnv: true,
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Sends the signal once the model was asked so often; gives all that was printed. */
async function interrupted(site: RunSite, asked: number, ...args: string[]) {
  return await signalled(site, { asked, signal: "SIGINT" }, ...args);
}

async function signalled(
  site: RunSite,
  { asked, signal }: { readonly asked: number; readonly signal: Deno.Signal },
  ...args: string[]
) {
  const child = spawn(site, ...args);
  const stdout = new Response(child.stdout).text();
  const stderr = new Response(child.stderr).text();
  await site.model.asked(asked);
  child.kill(signal);
  const { code } = await child.status;
  return { code, stdout: await stdout, stderr: await stderr };
}

/** What the row of each job holds, and what the replies in its own trace say. */
function usedTokens({ home }: RunSite, ...jobs: string[]) {
  const [file] = [...Deno.readDirSync(`${home}/db`)].map(({ name }) => `${home}/db/${name}/svc.db`);
  using db = new DatabaseSync(file!, { readOnly: true });
  const row = db.prepare("SELECT tokens_in + tokens_out AS tokens FROM jobs WHERE id = ?");
  const [folder] = [...Deno.readDirSync(`${home}/traces`)].filter(({ name }) =>
    name !== "logs" && name !== "outputs"
  );
  const traced = jobs.map((job) =>
    Deno.readTextFileSync(`${home}/traces/${folder!.name}/${job}.jsonl`).split("\n")
      .flatMap((line) => line === "" ? [] : [JSON.parse(line)])
      .filter(({ kind }) => kind === "reply")
      .reduce((sum, { usage }) => sum + usage.tokensIn + usage.tokensOut, 0)
  );
  return { stored: jobs.map((job) => Number(row.get(job)!.tokens)), traced };
}

Deno.test("Ctrl-C names the job, its branch and how to go on, and going on finishes the work", async () => {
  await using site = await runSite({
    scenario: { roles: { engineer: [edit!, { bad: "hang" }, commits!, submits!] } },
  });
  await site.svc("tickets", "new", "--title", "Mend add");
  const cut = await interrupted(site, 2, "engineer", ...HOST);
  assert.equal(cut.code, 130, cut.stderr);
  const [, job, trace] = /^job (\S+), trace (\S+)\n/.exec(cut.stderr) ?? [];
  assert.ok((await Deno.stat(trace!)).isFile);
  assert.match(cut.stderr, /^svc: Interrupted; T-0001 and branch svc\/T-0001-mend-add stay$/m);
  const [, line = ""] = /^try: svc run (.*)$/m.exec(cut.stderr) ?? [];
  assert.match(line, new RegExp(`^engineer --resume ${job} --model-endpoint http\\S+ --exec`));

  const other = await site.svc("run", ...line.split(" "), "--task", "Something else");
  assert.equal(other.code, 2, other.stderr);
  assert.match(other.stderr, /--resume with --task/);

  const resumed = await site.svc("run", ...line.split(" "), "--json");
  assert.equal(resumed.code, 0, resumed.stdout + resumed.stderr);
  assert.equal(resumed.json().disposition, "submitted");
  assert.deepEqual(resumed.json().changed, [{ path: "add.sh", added: 1, removed: 1 }]);
  // Each job has what it used itself, though the second goes on with the first one's conversation.
  const counted = usedTokens(site, job!, resumed.json().job);
  assert.deepEqual(counted.stored, counted.traced);
  assert.deepEqual(counted.stored.map((tokens) => tokens > 0), [true, true]);
  assert.equal(resumed.json().tokens_in + resumed.json().tokens_out, counted.stored[1]);
  // It has gone on: doing so a second time would do its work twice.
  const twice = await site.svc("run", ...line.split(" "));
  assert.equal(twice.code, 6, twice.stderr);
  assert.match(twice.stderr, new RegExp(`went on with it as ${resumed.json().job}`));
});

Deno.test("Ctrl-C with --json says how to go on too; what was cut off twice goes on twice", async () => {
  const look = { reply: { calls: [{ name: "file_read", args: { path: "add.sh" } }] } };
  await using site = await runSite({
    scenario: { roles: { engineer: [look, { bad: "hang" }, { bad: "hang" }, blocked] } },
  });
  const first = await interrupted(site, 2, "engineer", "--task", "Explain add", "--json", ...HOST);
  assert.equal(first.code, 130);
  const { error } = JSON.parse(first.stdout);
  assert.equal(error.code, "interrupted");
  assert.match(error.message, /^Interrupted; branch svc\/engineer-\w+ stays$/);
  const words = error.remediation.split(" ").slice(2, 5);
  const second = await interrupted(site, 3, ...words, ...HOST);
  const [, line = ""] = /^try: svc run (.*)$/m.exec(second.stderr) ?? [];
  assert.notEqual(line.split(" ")[2], words[2]);
  const third = await site.svc("run", ...line.split(" "), "--json");
  assert.equal(third.json().disposition, "blocked", third.stderr);
  assert.match(third.json().trace, /\.jsonl$/);
  assert.match(site.model.requests.at(-1)!.request.messages[1]!.content, /Explain add/);
});

Deno.test("Ctrl-C before the model has answered leaves nothing to go on with, and says so", async () => {
  await using site = await runSite({ scenario: {} });
  using deaf = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(deaf.addr as Deno.NetAddr).port}/v1`;
  const child = spawn({ ...site, model: { ...site.model, url } }, "engineer", "--task", "x");
  const stderr = new Response(child.stderr).text();
  using _asked = await deaf.accept();
  child.kill("SIGINT");
  const { code } = await child.status;
  await child.stdout.cancel();
  assert.equal(code, 130, await stderr);
  assert.match(await stderr, /^job .*\nsvc: Interrupted\ntry: Run the command again to finish\n$/);
});

Deno.test("Ctrl-C before there is a job says that it was interrupted, whatever was cut short", async () => {
  await using site = await runSite({ scenario: {} });
  // Git waits until it is ended, as it is when the machine is slow.
  const bin = `${site.home}-bin`;
  await Deno.mkdir(bin);
  const [ready, git] = [`${bin}/ready`, `${bin}/git`];
  await Deno.writeTextFile(
    git,
    `#!/bin/sh\necho > ${ready}.new && mv ${ready}.new ${ready}\nexec sleep 600\n`,
  );
  await Deno.chmod(git, 0o755);
  const child = spawn(
    { ...site, env: { ...site.env, PATH: `${bin}:${site.env.PATH}` } },
    ...["engineer", "--task", "x"],
  );
  const stderr = new Response(child.stderr).text();
  await until(() => exists(ready), () => bin);
  child.kill("SIGINT");
  const { code } = await child.status;
  await child.stdout.cancel();
  assert.equal(code, 130, await stderr);
  assert.equal(await stderr, "svc: Interrupted\ntry: Run the command again to finish\n");
});

Deno.test("what a run used that was killed after its first reply is in the costs", async () => {
  await using site = await runSite({
    scenario: { roles: { engineer: [edit!, { bad: "hang" }] } },
  });
  await site.svc("tickets", "new", "--title", "Mend add");
  await signalled(site, { asked: 2, signal: "SIGKILL" }, "engineer", ...HOST);
  const costs = (await site.svc("costs", "--days", "2", "--json")).json();
  assert.deepEqual([costs.total.jobs, costs.total.cost_basis], [1, "fixture"]);
  assert.ok(costs.total.tokens_in > 0);
  const roles = (await site.svc("costs", "--by", "role", "--days", "2", "--json")).json();
  assert.deepEqual(roles.rows.map(({ key }: { key: string }) => key), ["engineer"]);
});
