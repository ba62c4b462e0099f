/** The stand-in for llama.cpp's server, compiled once for a test file, and the processes that come of it. */

const FOLDER = decodeURIComponent(new URL(".", import.meta.url).pathname);

/** Why it cannot be built here, or undefined. */
export function llamaServerMissing(): string | undefined {
  for (const path of ["/usr/bin/g++", "/usr/include/httplib.h"]) {
    try {
      Deno.statSync(path);
    } catch {
      return path;
    }
  }
}

/** Compiles it into `folder` as `llama-server`, over Debian's libcpp-httplib-dev. */
export async function buildLlamaServer(folder: string): Promise<string> {
  const program = `${folder}/llama-server`;
  const { success, stderr } = await new Deno.Command("/usr/bin/g++", {
    args: ["-O0", "-o", program, `${FOLDER}llama_server.cpp`, "-lcpp-httplib", "-lpthread"],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return program;
}

/** Command lines of the living processes of a program, by pid. */
export function processesOf(program: string): Map<number, readonly string[]> {
  const found = new Map<number, readonly string[]>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const words = Deno.readTextFileSync(`/proc/${name}/cmdline`).split("\0").slice(0, -1);
      if (words[0] === program) found.set(Number(name), words.slice(1));
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
