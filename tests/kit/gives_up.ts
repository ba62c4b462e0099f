/** Gives up an authority, as a program of its own, and prints which attempts still succeed, as JSON. */
import { type Authority, giveUp } from "svc/platform/confined/give_up.ts";
import dgram from "node:dgram";
import net from "node:net";

const [authority, port, folder] = Deno.args as [Authority, string, string];
const at = { hostname: "127.0.0.1", port: Number(port) };

/** Started before, and with all that this thread has then. */
const other = new Worker(new URL("./gives_up_worker.ts", import.meta.url), { type: "module" });
const answers = () =>
  new Promise<boolean>((done) => other.onmessage = ({ data }) => done(data as boolean));
await answers();

const still = giveUp(authority);
const shell = async (line: string) => {
  const { success } = await new Deno.Command("bash", { args: ["-c", line], stderr: "null" })
    .output();
  if (!success) throw new Error(line);
};

const attempts: Record<string, () => unknown> = {
  "fetch": async () => await (await fetch(`http://127.0.0.1:${port}/`)).body?.cancel(),
  "connect": async () => (await Deno.connect(at)).close(),
  "listen": () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
  "node:net": () =>
    new Promise<void>((done, fail) => {
      const socket = net.connect(at.port, at.hostname, () => done(void socket.destroy()));
      socket.on("error", fail);
    }),
  "node:dgram": () =>
    new Promise<void>((done, fail) => {
      const socket = dgram.createSocket("udp4");
      socket.on("error", fail);
      socket.bind(0, "127.0.0.1", () => done(void socket.close()));
    }),
  "another thread": async () => {
    const answer = answers();
    other.postMessage(at);
    if (!await answer) throw new Error("refused there");
  },
  "a program's connection": () => shell(`exec 3<>/dev/tcp/127.0.0.1/${port}`),
  "a program": () => shell("true"),
  "write": () => Deno.writeTextFile(`${folder}/written`, ""),
  "sys": () => Deno.hostname(),
  "ffi": () => Deno.dlopen("libc.so.6", {}).close(),
  "hold a folder": () => Deno.readDirSync("/proc/self/fd").next(),
  "read": () => Deno.readTextFile(new URL(import.meta.url)),
  "load a module": () => import(new URL("../../src/core/order.ts", import.meta.url).href),
};

// node:dgram throws a refusal of Deno where nobody can catch it.
let uncaught: (cause: unknown) => void;
globalThis.addEventListener("error", (event) => {
  event.preventDefault();
  uncaught(event.error);
});

const done: string[] = [];
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    await Promise.race([attempt(), new Promise((_, fail) => uncaught = fail)]);
    done.push(name);
  } catch {
    // Refused: it is not in the list.
  }
}
console.log(JSON.stringify({ still, done }));
Deno.exit(0);
