/** A hostile module inside the Worker that agents run in, from source and in the built program. */
import assert from "node:assert/strict";
import { type Attempt, type ProbeTargets } from "svc/platform/confined/confinement_probe.ts";
import { svcCommand } from "tests/kit/script.ts";

interface Ground extends AsyncDisposable {
  readonly folder: string;
  readonly repo: string;
  readonly outside: string;
}

async function ground(): Promise<Ground> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-confine-" }));
  const [repo, outside] = [`${folder}/repo`, `${folder}/elsewhere/secret.txt`];
  await Deno.mkdir(repo);
  await Deno.mkdir(`${folder}/elsewhere`);
  await Deno.writeTextFile(outside, "outside");
  await Deno.symlink(outside, `${repo}/link`);
  await new Deno.Command("git", { args: ["init", "--quiet", repo] }).output();
  return {
    folder,
    repo,
    outside,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function probe({ folder, repo, outside }: Ground, profile: string) {
  const [program, ...before] = svcCommand({ unpacks: true });
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [
      ...before,
      "internal",
      "confinement",
      "--repo",
      repo,
      "--outside",
      outside,
      "--profile",
      profile,
      "--json",
    ],
    env: { SVC_HOME: `${folder}/home/.svc` },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.ok(text.startsWith("{"), `exit ${code}: ${text}${new TextDecoder().decode(stderr)}`);
  return { code, result: JSON.parse(text) as { escaped: number; attempts: Attempt[] } };
}

/** Beside what Deno refuses to both: an observer's broker refuses what changes or starts anything. */
const ATTEMPTS = { observer: 47, host: 37 };

for (const profile of ["observer", "host"] as const) {
  Deno.test(`a hostile module in the ${profile} profile reaches nothing outside`, async () => {
    await using place = await ground();
    const { code, result } = await probe(place, profile);
    const escaped = result.attempts.filter(({ refused }) => !refused);
    assert.deepEqual(escaped, []);
    assert.deepEqual([code, result.escaped], [0, 0]);
    assert.ok(result.attempts.length >= ATTEMPTS[profile]);
    const names = result.attempts.map(({ name }) => name);
    assert.ok(names.includes("run a program"));
    assert.equal(names.includes("broker: start a program"), profile === "observer");
    assert.equal(await Deno.readTextFile(place.outside), "outside");
    const left = await Array.fromAsync(Deno.readDir(`${place.folder}/elsewhere`));
    assert.deepEqual(left.map(({ name }) => name), ["secret.txt"]);
  });
}

Deno.test("svc internal confinement makes its own ground, and leaves nothing of it", async () => {
  await using place = await ground();
  const [program, ...before] = svcCommand({ unpacks: true });
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...before, "internal", "confinement"],
    cwd: "/",
    env: { SVC_HOME: `${place.folder}/home/.svc`, TMPDIR: place.folder },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text + new TextDecoder().decode(stderr));
  assert.match(text, /broker: follow a symlink out +refused/);
  assert.match(text, /observer: \d+ refused, 0 escaped/);
  const left = await Array.fromAsync(Deno.readDir(place.folder));
  assert.deepEqual(left.map(({ name }) => name).filter((name) => name.startsWith("svc-")), []);
});

Deno.test("the same attempts succeed where nothing confines them", async () => {
  await using place = await ground();
  const targets: ProbeTargets = {
    outsideFile: place.outside,
    outsideFolder: `${place.folder}/elsewhere`,
    repo: place.repo,
    repoLink: `${place.repo}/link`,
    program: "/bin/true",
    host: "192.0.2.1:80",
  };
  const worker = new Worker(new URL("../kit/probe_worker.ts", import.meta.url), {
    type: "module",
    // No network, so that no attempt leaves this machine.
    deno: { permissions: { read: true, write: true, run: true, env: true, sys: true, net: false } },
  });
  const { promise, resolve } = Promise.withResolvers<Attempt[]>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(targets);
  const attempts = await promise;
  worker.terminate();
  const reached = attempts.filter(({ refused }) => !refused).map(({ name }) => name);
  for (const name of ["read a file outside", "write a file outside", "run a program"]) {
    assert.ok(reached.includes(name), `${name} should succeed here: ${reached.join(", ")}`);
  }
  assert.ok(reached.length >= 12, reached.join(", "));
});
