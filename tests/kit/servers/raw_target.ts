/** Servers that nobody here wrote and that route on the raw request target, as programs of this machine. */

const FOLDER = decodeURIComponent(new URL(".", import.meta.url).pathname);

export interface RawTargetServer extends AsyncDisposable {
  /** Ends with "/v1". */
  readonly endpoint: string;
}

/** Starts a program that prints its port and ends with its standard input. */
async function started(program: string, args: readonly string[]): Promise<RawTargetServer> {
  const child = new Deno.Command(program, {
    args: [...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: port = "" } = await lines.read();
  return {
    endpoint: `http://127.0.0.1:${port.trim()}/v1`,
    async [Symbol.asyncDispose]() {
      await lines.cancel();
      await child.stdin.close();
      await child.status;
    },
  };
}

/** `http.server` of Python's standard library. */
export const pythonServer = () => started("python3", [`${FOLDER}raw_target.py`]);

/** Why `cppServer` cannot be built here, or undefined. */
export function cppMissing(): string | undefined {
  for (const path of ["/usr/bin/g++", "/usr/include/httplib.h"]) {
    try {
      Deno.statSync(path);
    } catch {
      return path;
    }
  }
}

/** cpp-httplib from Debian's `libcpp-httplib-dev`, the library under llama.cpp's server; compiled into `folder`. */
export async function cppServer(folder: string): Promise<RawTargetServer> {
  const program = `${folder}/raw_target`;
  const { success, stderr } = await new Deno.Command("/usr/bin/g++", {
    args: ["-O0", "-o", program, `${FOLDER}raw_target.cpp`, "-lcpp-httplib", "-lpthread"],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return await started(program, []);
}
