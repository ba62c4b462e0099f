/** A port on loopback for a program that wants its number before it starts. */

// Below what systems give to whoever asks for any port (ip(7), `ip_local_port_range`): whatever else runs
// meanwhile cannot be given it before the program takes it, or between its end and its next start.
const FIRST = 21_000;
const COUNT = 9_000;

/** The port in the second column of `/proc/net/tcp` (proc(5)), in hexadecimal. */
const LOCAL_PORT = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) /gm;

/** Undefined where the system does not tell. */
function takenPorts(): ReadonlySet<number> | undefined {
  try {
    const lines = ["tcp", "tcp6"].map((name) => Deno.readTextFileSync(`/proc/net/${name}`));
    const ports = lines.join("\n").matchAll(LOCAL_PORT);
    return new Set(Array.from(ports, ([, port]) => parseInt(port!, 16)));
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return undefined;
    throw thrown;
  }
}

/** Listens on nothing where it can: a process that another test forks just then would keep the port for a while. */
function isFree(port: number): boolean {
  const taken = takenPorts();
  if (taken !== undefined) return !taken.has(port);
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.AddrInUse) return false;
    throw thrown;
  }
}

export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (isFree(port)) return port;
  }
}
