/** Plays one case: `svc init` and `svc start` as a person runs them, with a scripted team. */
import { FIXTURE_MODEL, modelEndpoint, type Recorded } from "tests/kit/model_endpoint.ts";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { HOST } from "tests/kit/run_site.ts";
import { serving } from "tests/kit/service_site.ts";
import { call, turns } from "tests/kit/scripted_turns.ts";
import { CEO, finish, ORCHESTRATOR } from "tests/unit/runtime/team.ts";
import type { ReplayCase } from "./case.ts";
import { changesOf, covers, engineerTurns } from "./fix.ts";
import { type Figures, figuresOf } from "./figures.ts";
import { ignoredDigest, mustBeRed, type Person, personWith } from "./person.ts";
import { fetched, run, tried } from "./source.ts";

export interface Played {
  readonly found: string;
  /** "done", or where the ticket ended. */
  readonly verdict: string;
  /** What should not be, one line each; empty when all is as promised. */
  readonly faults: readonly string[];
  readonly figures: Figures;
}

/** As vLLM lists it; what is read of a large file must not push the script out of the conversation. */
const LARGE_MODEL = { id: FIXTURE_MODEL, max_model_len: 400_000 };

/** A ticket that has not ended by then never will. */
const LONGEST_MS = 300_000;
const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

async function svc({ checkout, env }: Person, ...args: string[]): Promise<string> {
  return await run(checkout, [...svcCommand(), ...args], env);
}

/** What a person says who answers each question with yes. */
const TRIED = ["--yes", "--try-checks", "--acknowledge-host-execution"];

/** As the person sees it: set-up, then checks. */
async function initialised(person: Person, one: ReplayCase): Promise<string> {
  const { project } = JSON.parse(await svc(person, "init", ...TRIED, "--json"));
  if (one.knownSecrets) await svc(person, "guardrails", "secret-scan", "--write-baseline");
  await run(person.checkout, ["git", "add", "--all"], person.env);
  await run(person.checkout, ["git", "commit", "--quiet", "--message", "svc init"], person.env);
  const lines: string[][] = [...project.setup ?? []].map((one) => one.run ?? one)
    .concat(project.checks.map(({ run }: { run: string[] }) => run));
  return lines.map((words) => words.join(" ")).join(", ") || "nothing";
}

const HOME_ENV = (home: string) => `HOME=${home}\0`;

/** Command lines of processes of this home that still live (proc(5)). */
function processesOf(home: string): string[] {
  const found: string[] = [];
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (!Deno.readTextFileSync(`/proc/${name}/environ`).includes(HOME_ENV(home))) continue;
      found.push(Deno.readTextFileSync(`/proc/${name}/cmdline`).replaceAll("\0", " "));
    } catch (thrown) {
      // It ended meanwhile, or belongs to another user.
      const gone = thrown instanceof Deno.errors.NotFound ||
        thrown instanceof Deno.errors.PermissionDenied || thrown instanceof Deno.errors.NotCapable;
      if (!gone && !/ESRCH|os error 3/.test(String(thrown))) throw thrown;
    }
  }
  return found;
}

/** What is left of svc's work in the repo and on the machine. */
async function leftBehind({ checkout, env, home }: Person): Promise<string[]> {
  const git = async (...args: string[]) =>
    (await run(checkout, ["git", ...args], env)).split("\n").filter((line) => line !== "");
  const trees = (await git("worktree", "list")).slice(1);
  const branches = await git("branch", "--format=%(refname:short)", "--list", "svc/*");
  return [
    ...(await git("status", "--porcelain")).map((line) => `git status: ${line}`),
    ...trees.map((line) => `work tree left: ${line}`),
    ...branches.map((name) => `branch left: ${name}`),
    ...processesOf(home).map((line) => `process left: ${line}`),
  ];
}

async function unlike(
  { checkout }: Person,
  folder: string,
  changes: Awaited<ReturnType<typeof changesOf>>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { path, after } of changes) {
    const now = await Deno.readTextFile(`${checkout}/${folder}${path}`).catch(() => undefined);
    if (now !== after) faults.push(`the fix is not on the branch: ${path}`);
  }
  return faults;
}

/** Lines of each sort that a case shows when its ticket did not end done. */
const SHOWN = 4;

/** What svc's tools answered last: a call that was refused is among them. */
function lastAnswers(requests: readonly Recorded[]): string[] {
  const answers = requests.flatMap(({ request }) => request.messages.slice(-1))
    .filter(({ role }) => role === "tool").slice(-SHOWN);
  return answers.map(({ content }) => `a tool said: ${content.split("\n", 3).join(" ")}`);
}

interface Started {
  readonly verdict: string;
  readonly seconds: number;
  readonly database?: string;
  /** What svc said of the ticket, last. */
  readonly said: readonly string[];
}

/** Until the ticket is done or blocked; then it is asked to stop. */
async function started(person: Person, endpoint: string): Promise<Started> {
  const began = performance.now();
  await using service = serving({
    cwd: person.checkout,
    env: person.env,
    args: ["start", "--json", "--model-endpoint", endpoint, ...ANYWHERE, ...HOST],
  });
  let late: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<string>((resolve) => {
    late = setTimeout(() => resolve("no end"), LONGEST_MS);
  });
  const first = await service.first;
  const moved = service.said(/T-0001 moved: .*→ (?:done|blocked)/).catch(() => "svc ended");
  const line = await Promise.race([moved, timeout]);
  clearTimeout(late);
  const seconds = (performance.now() - began) / 1_000;
  if (line !== "svc ended") service.signal("SIGTERM");
  const { stderr } = await service.ended;
  const verdict = /→ (done|blocked)/.exec(line)?.[1] ?? line;
  const said = stderr.split("\n").filter((one) => one.includes("T-0001")).slice(-SHOWN);
  return {
    verdict,
    seconds,
    said,
    ...(first.database !== undefined && { database: first.database }),
  };
}

/**
 * @param shared a folder for what serves all cases
 * @throws Error when the case cannot be built: the registry, the project's own tools
 */
export async function play(one: ReplayCase, shared: string): Promise<Played> {
  const at = await Deno.makeTempDir({ prefix: "svc-replay-" });
  try {
    const versions = await fetched(at, shared, one);
    const changes = await changesOf(versions, one.fix);
    const built = await personWith(at, shared, one, versions);
    const person = { ...built, env: { ...built.env, DENO_DIR: denoDir() } };
    await mustBeRed(person, one, changes.filter(({ path }) => covers(one.proof)(path)));
    const ignored = await ignoredDigest(person);
    const found = await initialised(person, one);
    const { title, context, accept } = one.ticket;
    const about = [`--context=${context}`, `--acceptance=${accept}`];
    await svc(person, "tickets", "new", "--title", title, "--type", "bug", ...about);
    // In their order, whatever the count of messages: svc may show several calls as several turns.
    const engineer = (await engineerTurns(one, versions, changes)).map((reply) => ({ reply }));
    const qa = turns(call("git_diff", { since: "main" }), finish("approved"));
    await using model = await modelEndpoint({
      models: [LARGE_MODEL],
      roles: { ceo: CEO, orchestrator: ORCHESTRATOR, engineer, qa },
    });
    const { verdict, seconds, database, said } = await started(person, model.url);
    const folder = one.folder === undefined ? "" : `${one.folder}/`;
    const faults = [
      ...(verdict === "done" ? [] : [...said, ...lastAnswers(model.requests)]),
      ...await unlike(person, folder, changes),
      ...(await ignoredDigest(person) === ignored ? [] : ["files that git ignores have changed"]),
      ...await leftBehind(person),
    ];
    const own = await tried(person.checkout, one.test, person.env);
    if (!own.ok) faults.push(`${one.test.join(" ")} fails: ${own.text.slice(-300).trim()}`);
    const figures = figuresOf(database, seconds);
    return { found, verdict, faults, figures };
  } finally {
    await Deno.remove(at, { recursive: true });
  }
}
