/** llama.cpp's own server, as Debian builds it: no stable release has it. */
import { byItsLoader, debianProgram } from "tests/kit/debian_program.ts";
import { freePort } from "tests/kit/free_port.ts";
import { exists, until } from "tests/kit/until.ts";

const PACKAGES = [
  ...["llama.cpp-tools", "libllama0", "libggml0"],
  ...["libc6", "libgcc-s1", "libstdc++6", "libgomp1", "libssl3t64", "libzstd1", "zlib1g"],
];

const amongCpus = (feature: string) =>
  new RegExp(`^flags\\b.* ${feature}\\b`, "m").test(Deno.readTextFileSync("/proc/cpuinfo"));

function startScript(): string {
  const backend = amongCpus("avx2") ? "haswell" : "x64";
  return `export GGML_BACKEND_PATH=$here/usr/lib/x86_64-linux-gnu/ggml/backends0/libggml-cpu-${backend}.so\n` +
    byItsLoader("usr/bin/llama-server", "/llama");
}

/** Path of the program `llama-server`; undefined, and said so, where it cannot be used. */
export async function llamaServer(): Promise<string | undefined> {
  const scripts = { "llama-server": startScript() };
  const folder = await debianProgram({ name: "llama.cpp", packages: PACKAGES, scripts });
  return folder && `${folder}/llama-server`;
}

export interface LlamaServer extends AsyncDisposable {
  /** Without `/v1`. */
  readonly url: string;
}

/** Serves a model on loopback, once it has loaded it. */
export async function serveModel(
  program: string,
  model: string,
  ...args: string[]
): Promise<LlamaServer> {
  const port = freePort();
  const log = `${model}.${port}.log`;
  const process = new Deno.Command(program, {
    args: [
      ...["--model", model, "--host", "127.0.0.1", "--port", `${port}`, "--log-file", log],
      ...["--parallel", "1", "--threads", "1", "--jinja", "--no-ui", ...args],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}`;
  const written = () => exists(log) ? Deno.readTextFileSync(log) : "";
  const loaded = async () => {
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok === true;
  };
  await until(loaded, () => `no model that llama-server loaded: ${written()}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      process.kill("SIGKILL");
      await process.status;
    },
  };
}
