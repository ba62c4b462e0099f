/** A repo with a bug, a scripted model, and the real program between them. */
import { type ModelEndpoint, modelEndpoint, type Scenario } from "./model_endpoint.ts";
import type { Conversation } from "./model_scenario.ts";
import { DEAD_PROXY, denoDir, svcCommand } from "./script.ts";
import { type Files, tempFolder, type TempRepo, tempRepo } from "./temp_repo.ts";
import { within } from "./within.ts";

export const HOST = ["--execution-profile", "host", "--acknowledge-host-execution"];

/** `add` subtracts; its test says so. Nothing but a shell is needed. */
export const BUGGY: Files = {
  "add.sh": "echo $(($1 - $2))\n",
  "test.sh": 'test "$(sh add.sh 1 2)" = 3 || { echo "add is wrong"; exit 1; }\n',
  "Makefile": "test:\n\tsh test.sh\n",
};

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  // deno-lint-ignore no-explicit-any -- the shape of what was printed is what tests look at
  json(): any;
}

export interface RunSite extends AsyncDisposable {
  readonly repo: TempRepo;
  readonly home: string;
  readonly model: ModelEndpoint;
  readonly env: Readonly<Record<string, string>>;
  svc(...args: string[]): Promise<Ran>;
  /** In another environment. */
  svcWith(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran>;
  /** With the scripted model. */
  run(...args: string[]): Promise<Ran>;
  /** Runs svc in the home folder, so that only `--repo` says which repo is meant. */
  svcFromHome(...args: string[]): Promise<Ran>;
  /** All that a repo is: its files, refs and settings. */
  state(): Promise<string>;
}

async function treeText(folder: string): Promise<string> {
  const lines: string[] = [];
  const walk = async (path: string) => {
    for await (const { name, isDirectory, isFile } of Deno.readDir(path)) {
      const at = `${path}/${name}`;
      if (isDirectory) await walk(at);
      else if (isFile && !/\/\.git\/(?:index|svc\.lock)$/.test(at)) {
        const bytes = await Deno.readFile(at);
        const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
        lines.push(`${at.slice(folder.length)} ${digest.toHex()}`);
      }
    }
  };
  await walk(folder);
  return lines.sort().join("\n");
}

/** @param plan.harness `false`: the repo has none. @param plan.unpacks as of `svcCommand` */
export async function runSite(plan: {
  readonly scenario: Scenario;
  readonly files?: Files;
  readonly harness?: false;
  readonly unpacks?: true;
}): Promise<RunSite> {
  const folder = await tempFolder("svc-run-");
  const repo = await tempRepo({ files: plan.files ?? BUGGY, commit: true });
  const model = await modelEndpoint(plan.scenario);
  const home = `${folder.path}/.svc`;
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folder.path,
    SVC_HOME: home,
    DENO_DIR: denoDir(),
    USER: "ada",
    ...DEAD_PROXY,
  };
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  const svcIn =
    (cwd: string, env: Readonly<Record<string, string>>) =>
    async (...args: string[]): Promise<Ran> => {
      const [program, ...first] = svcCommand(plan);
      const running = new Deno.Command(program, {
        args: [...first, ...args],
        cwd,
        env,
        clearEnv: true,
        stdin: "null",
      }).output();
      const { code, stdout, stderr } = await within(
        running,
        () => `no end of svc ${args.join(" ")}`,
      );
      const text = {
        stdout: new TextDecoder().decode(stdout),
        stderr: new TextDecoder().decode(stderr),
      };
      return { code, ...text, json: () => JSON.parse(text.stdout) };
    };
  const svc = svcIn(repo.path, env);
  if (plan.harness !== false) {
    const { code, stderr } = await svc("init", "--yes");
    if (code !== 0) throw new Error(stderr);
    await repo.commit("harness");
  }
  return {
    ...{ repo, home, model, env, svc },
    svcWith: (other, ...args) => svcIn(repo.path, other)(...args),
    svcFromHome: svcIn(folder.path, env),
    run: (...args) => svc("run", ...args, "--model-endpoint", model.url),
    state: () => treeText(repo.path),
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Reads, edits, runs the check, commits, finishes. */
export const FIX: Conversation = [
  { reply: { calls: [{ name: "file_read", args: { path: "add.sh" } }] } },
  { reply: { calls: [{ name: "check_run", args: { name: "test" } }] } },
  {
    reply: {
      calls: [{ name: "file_edit", args: { path: "add.sh", old: "$1 - $2", new: "$1 + $2" } }],
    },
  },
  { reply: { calls: [{ name: "check_run", args: { name: "test" } }] } },
  { reply: { calls: [{ name: "git_commit", args: { message: "fix(add): add, not subtract" } }] } },
  {
    reply: {
      calls: [{
        name: "finish",
        args: { disposition: "submitted", evidence: "make test fails before, passes after" },
      }],
    },
  },
];

/** Resolves once the model was asked so often in the name of a role. */
export async function roleAsked(
  { model }: RunSite,
  role: string,
  count: number,
): Promise<void> {
  const asked = () =>
    model.requests.filter(({ request }) =>
      request.messages[0]?.content?.includes(`# Role: ${role}`)
    );
  for (let all = 1; asked().length < count; all = model.requests.length + 1) await model.asked(all);
}
