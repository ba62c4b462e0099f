/** A Worker that starts one program after another until it is ended, so that its process always has a fresh fork. */
const scope = globalThis as unknown as { postMessage(message: unknown): void };

scope.postMessage("begun");
for (;;) {
  new Deno.Command("true", { stdin: "null", stdout: "null", stderr: "null" }).outputSync();
}
