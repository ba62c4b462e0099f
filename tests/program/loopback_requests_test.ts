/**
 * Requests to this machine's servers are in origin form (RFC 9112 section 3.2.1) and pass no proxy, whatever
 * the environment says. Proven through the whole program on a raw socket that keeps the request line, on
 * Python's http.server and on cpp-httplib (llama.cpp's HTTP library): the last two answer 404 to absolute form.
 */
import assert from "node:assert/strict";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { cppMissing, cppServer, pythonServer } from "tests/kit/servers/raw_target.ts";

interface Listening extends AsyncDisposable {
  readonly port: number;
  readonly requestLines: readonly string[];
}

/** A bare socket: keeps the first line of what comes and answers with one model. */
function rawSocket(): Listening {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const requestLines: string[] = [];
  const body = '{"object":"list","data":[{"id":"tiny"}]}';
  const done = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(4096);
      const length = await connection.read(bytes) ?? 0;
      requestLines.push(new TextDecoder().decode(bytes.subarray(0, length)).split("\r\n")[0]!);
      const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n`;
      const answer = `${head}content-length: ${body.length}\r\n\r\n${body}`;
      await connection.write(new TextEncoder().encode(answer));
      connection.close();
    }
  })();
  return {
    port: listener.addr.port,
    requestLines,
    async [Symbol.asyncDispose]() {
      listener.close();
      await done;
    },
  };
}

/** Environment variables of one user, where `proxy` is the URL of theirs. */
const ENVIRONMENTS: Readonly<Record<string, (proxy: string) => Record<string, string>>> = {
  "no proxy": () => ({}),
  "every proxy variable": (proxy) =>
    Object.fromEntries(
      ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"]
        .map((name) => [name, proxy]),
    ),
  "a NO_PROXY of their own": (proxy) => ({ HTTP_PROXY: proxy, NO_PROXY: "intranet.example" }),
  "a no_proxy of their own": (proxy) => ({ http_proxy: proxy, no_proxy: "intranet.example" }),
};

async function models(endpoint: string, env: Record<string, string>): Promise<string[]> {
  const home = await Deno.makeTempDir();
  const own = { PATH: Deno.env.get("PATH") ?? "", DENO_DIR: denoDir(), DENO_NO_UPDATE_CHECK: "1" };
  try {
    const [program, ...args] = svcCommand();
    const { stdout, stderr } = await new Deno.Command(program, {
      args: [...args, "models", "list", "--provider", "ollama", "--endpoint", endpoint, "--json"],
      clearEnv: true,
      env: { ...own, HOME: home, SVC_HOME: home, ...env },
    }).output();
    const decoder = new TextDecoder();
    const { models } = JSON.parse(decoder.decode(stdout));
    assert.ok(models !== undefined, decoder.decode(stdout) + decoder.decode(stderr));
    return models.map(({ id }: { id: string }) => id);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

for (const [name, environment] of Object.entries(ENVIRONMENTS)) {
  Deno.test(`loopback is asked in origin form and past the proxy: ${name}`, async () => {
    await using proxy = rawSocket();
    await using server = rawSocket();
    const env = environment(`http://127.0.0.1:${proxy.port}`);
    assert.deepEqual(await models(`http://127.0.0.1:${server.port}/v1`, env), ["tiny"]);
    assert.deepEqual(server.requestLines, ["GET /v1/models HTTP/1.1"]);
    assert.deepEqual(proxy.requestLines, []);

    await using python = await pythonServer();
    assert.deepEqual(await models(python.endpoint, env), ["tiny"]);
    assert.deepEqual(proxy.requestLines, []);
  });
}

Deno.test({
  name: "llama.cpp's HTTP library is understood, with and without a proxy",
  ignore: cppMissing() !== undefined,
  async fn() {
    const folder = await Deno.makeTempDir();
    try {
      await using server = await cppServer(folder);
      await using proxy = rawSocket();
      for (const environment of Object.values(ENVIRONMENTS)) {
        const env = environment(`http://127.0.0.1:${proxy.port}`);
        assert.deepEqual(await models(server.endpoint, env), ["tiny"]);
      }
      assert.deepEqual(proxy.requestLines, []);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
