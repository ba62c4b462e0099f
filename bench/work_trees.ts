/**
 * How soon a job can begin in its work tree, in a repo with dependencies and in one without, in one run:
 * a first job, which sets its tree up; the next job of the branch; and the first job of the next ticket.
 *
 *   deno run -A bench/work_trees.ts [files in node_modules]
 */
import { readManifest } from "svc/features/harness/manifest.ts";
import { type Repo, RepoOpener } from "svc/features/repos/repo.ts";
import { ownTree } from "svc/runtime/job/job_tree.ts";
import { setUpTree } from "svc/runtime/job/set_up.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const files = Number(Deno.args[0] ?? 20_000);
const ROUNDS = 3;
const TRACKED = 200;
const FILES_A_PACKAGE = 25;
const BOUND_MS = 300;

await using base = await tempFolder();
const store = `${base.path}/store`;
for (let n = 0; n < files; n++) {
  const folder = `${store}/package-${Math.floor(n / FILES_A_PACKAGE)}/lib`;
  if (n % FILES_A_PACKAGE === 0) await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/${n}.js`, `export const n = ${n};\n`.repeat(100));
}

const manifest = (install: boolean) =>
  readManifest(`version: 1
project:
  name: demo
  setup: ${install ? `[{ name: npm, run: [cp, -r, ${store}, node_modules] }]` : "[]"}
roles: { engineer: { prompt: roles/engineer.md } }
`);

await using parts = await enginePorts(base.path);
const ports = { ...parts, signal: new AbortController().signal };
let jobs = 0;

/** Ms until the role could begin, and the tree's branch. */
async function begun(repo: Repo, install: boolean, branch?: string) {
  const jobId = `job-${++jobs}`;
  const start = performance.now();
  using tree = await ownTree(ports, repo, {
    ...{ jobId, role: "engineer", ticket: undefined },
    ...(branch !== undefined && { branch }),
  });
  const { signal } = ports;
  const work = { job: jobId, role: "engineer", tree, signal, progress() {} };
  await setUpTree(ports, repo, manifest(install), work);
  return { ms: performance.now() - start, root: tree.root, branch: tree.ownBranch! };
}

const JOBS = ["first job", "next job of the branch", "next ticket's job"];

async function round(repo: Repo, install: boolean): Promise<number[]> {
  const first = await begun(repo, install);
  const second = await begun(repo, install, first.branch);
  await ports.worktrees.retire(repo.git, first.root);
  const third = await begun(repo, install);
  await ports.worktrees.remove(repo.git, third.root, { discard: true });
  return [first.ms, second.ms, third.ms];
}

async function opened(id: string) {
  const tracked = Array.from(
    { length: TRACKED },
    (_, n) => [`src/${n}.js`, `// ${n}\n`.repeat(40)],
  );
  const repo = await tempRepo({
    files: { ...Object.fromEntries(tracked), ".gitignore": "node_modules/\n" },
    commit: true,
  });
  const facts = { id, path: repo.path, branch: "main", remote: null, host: null };
  return { repo: await new RepoOpener(ports).open(facts, ports), folder: repo };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const plain = await opened("without-deps");
const heavy = await opened("with-deps-01");
const seen = { plain: [] as number[][], heavy: [] as number[][] };
for (let n = 0; n < ROUNDS; n++) {
  seen.plain.push(await round(plain.repo, false));
  seen.heavy.push(await round(heavy.repo, true));
}
for (const { repo, folder } of [plain, heavy]) {
  repo[Symbol.dispose]();
  await folder[Symbol.asyncDispose]();
}

const show = (...cells: readonly string[]) =>
  console.log(cells.map((cell, at) => at === 0 ? cell.padEnd(26) : cell.padStart(16)).join(""));
show(`ms, median of ${ROUNDS}`, "no dependencies", `${files} files`, "difference");
JOBS.forEach((job, at) => {
  const [without, having] = [seen.plain, seen.heavy].map((all) =>
    median(all.map((one) => one[at]!))
  );
  const more = having! - without!;
  const said = at === 0 ? "" : more <= BOUND_MS ? ` (within ${BOUND_MS})` : ` (above ${BOUND_MS})`;
  show(job, without!.toFixed(0), having!.toFixed(0), `${more.toFixed(0)}${said}`);
});
