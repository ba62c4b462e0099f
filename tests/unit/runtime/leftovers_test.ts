/** What jobs leave uncommitted, and what their checks leave, with the real engine and real git. */
import assert from "node:assert/strict";
import { type ChatRequest, modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "./engine_place.ts";
import { call, finish, TEAM, turns } from "./team.ts";

/** Passes once fixed.txt is there, and leaves more than anybody would keep. */
const MESSY = `mkdir -p out
for nth in $(seq 300); do echo x > out/$nth; done
head -c 5000000 /dev/zero > out/huge
echo by the check >> app.txt
test -e fixed.txt
`;

Deno.test("what a check leaves is removed, however much it is, and blocks nothing", async () => {
  await using repo = await harnessedRepo({ files: { "test.sh": MESSY } });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const engineer = turns(
    call("file_write", { path: "fixed.txt", content: "fixed\n" }),
    call("git_commit", { message: "fix: make the test pass" }),
    finish("submitted"),
  );
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket?.state, "done");
  assert.equal(await repo.git("for-each-ref", "refs/svc"), "");
  assert.equal(await repo.git("show", "main:app.txt"), "one\n");
  assert.deepEqual(await ports.worktrees.list(await ports.git.open(repo.path)), []);
});

const LEAVES = `printf 'gr\\374\\337e\\n' > latin1.txt
head -c 300000 /dev/urandom > binary
printf 'echo run\\n' > run.sh; chmod +x run.sh
ln -s app.txt link
mkdir -p .github/workflows; echo x > .github/workflows/ci.yml
rm app.txt
rm leave.sh
`;

Deno.test("what a judge left is told to the next attempt, which looks at it and takes it over", async () => {
  await using repo = await harnessedRepo({ files: { "leave.sh": LEAVES } });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const first = turns(
    call("file_write", { path: "fixed.txt", content: "fixed\n" }),
    call("git_commit", { message: "fix: make the test pass" }),
    finish("submitted"),
  );
  const heard: string[] = [];
  const hear = (reply: ReturnType<typeof call>) => (request: ChatRequest) => {
    heard.push(request.messages.at(-1)!.content);
    return reply;
  };
  const rework = turns(
    hear(call("leftovers", {})),
    hear(call("leftovers", { take: true })),
    hear(call("git_commit", { message: "fix: take over" })),
    hear(finish("submitted")),
  );
  const sends = turns(
    call("command_run", { argv: ["sh", "leave.sh"] }),
    finish("changes_requested"),
  );
  const { orchestrator, qa } = TEAM.roles;
  await using endpoint = modelEndpoint({
    roles: { orchestrator, engineer: [first, rework], qa: [sends, qa] },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  assert.equal(ticket?.state, "done");
  const ref = (await repo.git("for-each-ref", "--format=%(refname)", "refs/svc")).trim();
  const [told, patch, taken, committed] = heard;
  assert.match(told!, /qa left more, which is not in your tree: see it with leftovers \{"ref": /);
  assert.match(told!, /A binary\nA latin1\.txt\nD leave\.sh\nA link\nA run\.sh/);
  assert.match(patch!, /^Binary files .*binary differ$/m);
  assert.match(patch!, /^\+echo run$/m);
  assert.match(
    taken!,
    /Brought back:\napp\.txt: removed\nleave\.sh: removed\nbinary\nlatin1\.txt\nrun\.sh\nLeft where it is:\n/,
  );
  assert.match(taken!, /ci\.yml" is run by CI/);
  assert.match(taken!, /"link": a symbolic link/);
  assert.match(committed!, /^Committed 5 files/);
  for (const path of ["binary", "latin1.txt", "run.sh"]) {
    const entry = async (at: string) => await repo.git("ls-tree", at, path);
    assert.equal(await entry("main"), await entry(ref), path);
  }
});
