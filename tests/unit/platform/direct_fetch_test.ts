import assert from "node:assert/strict";

const PROGRAM = decodeURIComponent(new URL("./fetch_past_proxy.ts", import.meta.url).pathname);

for (const hostname of ["127.0.0.1", "::1"]) {
  Deno.test(`directFetch reaches ${hostname} past the proxy of the environment`, async () => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", PROGRAM, hostname],
      // Nobody listens at port 9 (discard): what goes there fails.
      env: { HTTP_PROXY: "http://127.0.0.1:9", http_proxy: "http://127.0.0.1:9", NO_PROXY: "" },
    }).output();
    const decoder = new TextDecoder();
    const lines = decoder.decode(stdout).trim().split("\n");
    // The last line shows that the proxy counts for others.
    assert.deepEqual(lines, ["straight", "straight", "by proxy"], decoder.decode(stderr));
  });
}
