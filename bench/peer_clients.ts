/** The agents that svc is compared with: their packages, their set-up, how they are started, and what a scripted model tells them. */
import type { ScriptedReply, Step } from "tests/kit/model_endpoint.ts";
import { readInput, streamOf } from "tests/kit/servers/responses_wire.ts";
import type { TempFolder } from "tests/kit/temp_repo.ts";
import {
  commandRuns,
  fix,
  leastRun,
  type Runs,
  runs,
  type ScriptedCall,
  steps,
  svcRun,
} from "./scripted_fix.ts";

export interface Client extends Runs {
  readonly name: string;
  readonly fix: readonly Step[];
  readonly env?: Readonly<Record<string, string>>;
  /** Writes its settings into a fresh home. */
  setUp?(home: TempFolder, url: string): Promise<void>;
  argv(url: string): readonly string[];
}

/** Exact versions: a figure names what was measured. */
export const PACKAGES = ["@openai/codex@0.169.0", "@mariozechner/pi-coding-agent@0.73.1"] as const;

const TASK = "Mend add.sh";
const SED = "sed -i 's/[$]1 - [$]2/$1 + $2/' add.sh";

/** It does everything in a shell: where it does not know a model, it offers no tool that edits. */
const exec = (cmd: string): ScriptedCall => ({ name: "exec_command", args: { cmd } });

const CODEX_SETTINGS = (url: string) =>
  `model = "scripted"
model_provider = "bench"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.bench]
name = "bench"
base_url = "${url}"
wire_api = "responses"
env_key = "BENCH_KEY"
request_max_retries = 0
stream_max_retries = 0
`;

function codex(folder: string): Client {
  return {
    name: "codex",
    fix: steps(["cat add.sh", SED, "sh add.sh 1 2"].map(exec), "3"),
    ...runs((turn) => exec(`echo ${turn}`), "nothing is to be changed"),
    env: { BENCH_KEY: "unused" },
    setUp: (home, url) => home.write(".codex/config.toml", CODEX_SETTINGS(url)),
    argv: () => [
      ...[`${folder}/node_modules/.bin/codex`, "exec", "--skip-git-repo-check"],
      ...["--dangerously-bypass-approvals-and-sandbox", TASK],
    ],
  };
}

const PI_MODEL = {
  id: "scripted",
  name: "scripted",
  reasoning: false,
  input: ["text"],
  contextWindow: 128_000,
  maxTokens: 4096,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

function pi(folder: string): Client {
  const bash = (command: string): ScriptedCall => ({ name: "bash", args: { command } });
  const edits = [{ oldText: "$1 - $2", newText: "$1 + $2" }];
  return {
    name: "pi",
    fix: steps([
      { name: "read", args: { path: "add.sh" } },
      { name: "edit", args: { path: "add.sh", edits } },
      bash("sh add.sh 1 2"),
    ], "3"),
    ...runs((turn) => bash(`echo ${turn}`), "nothing is to be changed"),
    env: { PI_OFFLINE: "1" },
    setUp: (home, url) =>
      home.write(
        ".pi/agent/models.json",
        JSON.stringify({
          providers: {
            bench: {
              baseUrl: url,
              api: "openai-completions",
              apiKey: "unused",
              models: [PI_MODEL],
            },
          },
        }),
      ),
    argv: () => [
      ...[`${folder}/node_modules/.bin/pi`, "-p", "--provider", "bench"],
      ...["--model", "scripted", TASK],
    ],
  };
}

const svc: Client = {
  name: "svc",
  fix: fix(["file_read", "file_edit", "command_run"]),
  ...commandRuns("command_run"),
  argv: svcRun,
};

const least: Client = {
  name: "bare loop",
  fix: fix(["read", "edit", "run"]),
  ...commandRuns("run"),
  argv: leastRun,
};

/** @param folder where the packages are installed */
export const clients = (
  folder: string,
): readonly Client[] => [svc, codex(folder), pi(folder), least];

/** OpenAI's Responses, which is all that codex speaks; the rest of the endpoint is chat completions. */
export function responsesOf(script: readonly Step[]) {
  return async (request: Request): Promise<Response> => {
    const asked = { body: await request.json(), headers: request.headers };
    const turn = readInput(asked as Parameters<typeof readInput>[0]).messages
      .filter(({ role }) => role === "assistant").length;
    const reply = script[turn]?.reply as ScriptedReply;
    const usage = { prompt: 100, completion: 10, cached: 0 };
    const events = streamOf(
      asked as Parameters<typeof streamOf>[0],
      { reply, turn, usage } as Parameters<typeof streamOf>[1],
    );
    return new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });
  };
}
