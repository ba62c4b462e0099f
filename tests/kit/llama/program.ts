/**
 * llama.cpp's own server, as Debian builds it: fetched by apt, which checks Debian's signatures, from the release
 * that has it, and unpacked beside the build with the libraries it needs. Nothing is installed.
 */
import { freePort } from "tests/kit/free_port.ts";
import { repoRoot } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { exists, until } from "tests/kit/until.ts";

/** Debian's testing release; the stable ones have no llama.cpp. */
const RELEASE = "forky";
const PACKAGES = [
  ...["llama.cpp-tools", "libllama0", "libggml0"],
  ...["libc6", "libgcc-s1", "libstdc++6", "libgomp1", "libssl3t64", "libzstd1", "zlib1g"],
];
/** For each of two steps; a mirror that is slower cannot be used. `make test` ends what is silent for 6 minutes. */
const MOST_SECONDS = "120";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const PLACE = `${repoRoot}dist/llama.cpp`;

async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, cwd, stdin: "null" })
    .output();
  if (!success) throw new Error(`${program}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** As root apt would fetch as a user of its own, who may not write here. */
function aptOptions(folder: string): string[] {
  const options = {
    "Dir::Etc::sourcelist": `${folder}/sources.list`,
    "Dir::Etc::sourceparts": "-",
    "Dir::State::lists": `${folder}/lists`,
    "Dir::State::status": `${folder}/status`,
    "Dir::Cache": `${folder}/cache`,
    "Acquire::Languages": "none",
    "APT::Sandbox::User": "root",
    "Acquire::Retries": "3",
    "Acquire::http::Timeout": "20",
  };
  return Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

const amongCpus = (feature: string) =>
  new RegExp(`^flags\\b.* ${feature}\\b`, "m").test(Deno.readTextFileSync("/proc/cpuinfo"));

/** Its own loader starts it, since this machine's C library is older than it wants. */
function startScript(): string {
  const backend = amongCpus("avx2") ? "haswell" : "x64";
  return `#!/bin/bash
here=$(cd -- "$(dirname -- "$0")" && pwd)
libraries=$here/usr/lib/x86_64-linux-gnu
export GGML_BACKEND_PATH=$libraries/ggml/backends0/libggml-cpu-${backend}.so
exec -a "$0" "$libraries/ld-linux-x86-64.so.2" --argv0 "$0" \\
  --library-path "$libraries:$libraries/llama" "$here/usr/bin/llama-server" "$@"
`;
}

async function fetched(): Promise<void> {
  await using folder = await tempFolder("svc-llama-");
  const source = `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${RELEASE} main\n`;
  await Deno.writeTextFile(`${folder.path}/sources.list`, source);
  await Deno.writeTextFile(`${folder.path}/status`, "");
  for (const name of ["lists/partial", "cache/archives/partial", "root"]) {
    await Deno.mkdir(`${folder.path}/${name}`, { recursive: true });
  }
  const options = aptOptions(folder.path);
  const apt = ["timeout", MOST_SECONDS, "apt-get", ...options, "--quiet=2"] as const;
  await run(folder.path, ...apt, "update");
  await run(folder.path, ...apt, "download", ...PACKAGES);
  for await (const { name } of Deno.readDir(folder.path)) {
    if (name.endsWith(".deb")) await run(folder.path, "dpkg-deb", "-x", name, "root");
  }
  await Deno.writeTextFile(`${folder.path}/root/llama-server`, startScript(), { mode: 0o755 });
  await Deno.mkdir(`${repoRoot}dist`, { recursive: true });
  // Whole under its name or not there, be it that this ends midway or that two do it at once.
  const ready = await Deno.makeTempDir({ dir: `${repoRoot}dist`, prefix: "llama.cpp-" });
  await run(folder.path, "cp", "-r", "root/.", ready);
  await Deno.rename(ready, PLACE).catch(() => Deno.remove(ready, { recursive: true }));
}

/** Path of the program `llama-server`; undefined, and said so, where it cannot be fetched or does not start. */
export async function llamaServer(): Promise<string | undefined> {
  try {
    if (Deno.build.arch !== "x86_64") throw new Error(`it is fetched for x86_64 alone`);
    const program = `${PLACE}/llama-server`;
    if (!exists(program)) await fetched();
    await run("/", program, "--version");
    return program;
  } catch (thrown) {
    console.warn(
      `llama.cpp's server cannot be used here, so that its tests are skipped: ${thrown}`,
    );
    return undefined;
  }
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
