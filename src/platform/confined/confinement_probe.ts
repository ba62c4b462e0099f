/** Attempts to leave a confined Worker, made by itself: what Deno refuses here, it refuses to any module.
 * A successful one changes nothing but files that the caller named for it. */
import { readFileSync, symlinkSync } from "node:fs";
import { spawnSync } from "node:child_process";

export interface ProbeTargets {
  readonly outsideFile: string;
  readonly outsideFolder: string;
  readonly repo: string;
  readonly repoLink: string;
  readonly program: string;
  /** `host:port` that was not granted. */
  readonly host: string;
}

export interface Attempt {
  readonly name: string;
  readonly refused: boolean;
  readonly detail: string;
}

type Try = readonly [name: string, attempt: () => unknown];

function connect(target: string): Promise<unknown> {
  const cut = target.lastIndexOf(":");
  return Deno.connect({ hostname: target.slice(0, cut), port: Number(target.slice(cut + 1)) })
    .then((socket) => socket.close());
}

function fileTries(to: ProbeTargets): Try[] {
  const fresh = `${to.outsideFolder}/svc-probe`;
  return [
    ["read a file outside", () => Deno.readTextFile(to.outsideFile)],
    ["read it through node:fs", () => readFileSync(to.outsideFile)],
    ["read it through /proc", () => Deno.readTextFile(`/proc/self/root${to.outsideFile}`)],
    ["read the environment through /proc", () => Deno.readTextFile("/proc/self/environ")],
    ["read through a symlink in the repo", () => Deno.readTextFile(to.repoLink)],
    ["read the repo without the broker", () => Array.fromAsync(Deno.readDir(to.repo))],
    ["write a file outside", () => Deno.writeTextFile(fresh, "probe")],
    ["write into the repo", () => Deno.writeTextFile(`${to.repo}/svc-probe`, "probe")],
    ["make a folder outside", () => Deno.mkdir(fresh)],
    ["rename a file outside", () => Deno.rename(to.outsideFile, fresh)],
    ["hard-link a file outside", () => Deno.link(to.outsideFile, fresh)],
    ["make a symlink", () => symlinkSync(to.outsideFile, fresh)],
    ["make a temporary folder", () => Deno.makeTempDir()],
  ];
}

function otherTries(to: ProbeTargets): Try[] {
  return [
    ["connect to another host", () => connect(to.host)],
    ["fetch from another host", () => fetch(`http://${to.host}/`)],
    ["listen on every interface", () => Deno.listen({ hostname: "0.0.0.0", port: 0 }).close()],
    ["read an environment variable", () => given(Deno.env.get("PATH"))],
    ["ask for the host's name", () => Deno.hostname()],
    ["load a native library", () => Deno.dlopen("libc.so.6", {}).close()],
    ["raise its own permissions", async () => {
      const { state } = await Deno.permissions.request({ name: "read", path: to.outsideFile });
      if (state !== "granted") throw new Deno.errors.NotCapable(`the request is ${state}`);
    }],
  ];
}

function programTries(to: ProbeTargets): Try[] {
  return [
    ["run a program", () => new Deno.Command(to.program).output()],
    ["run it through node:child_process", () => {
      const { error, status } = spawnSync(to.program);
      if (error) throw error;
      // Without an environment it reports no error, although it started nothing.
      if (typeof status !== "number") throw new Deno.errors.NotCapable("nothing was started");
    }],
    ["run git, which runs anything", () => new Deno.Command("git", { args: ["version"] }).output()],
  ];
}

async function make([name, attempt]: Try): Promise<Attempt> {
  try {
    await attempt();
    return { name, refused: false, detail: "it succeeded" };
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const refused = error instanceof Deno.errors.NotCapable ||
      /NotCapable|Requires \w+ access/.test(String(error));
    return { name, refused, detail: `${error.name}: ${error.message.split("\n")[0]}` };
  }
}

function given(value: string | undefined): string {
  if (value === undefined) throw new Deno.errors.NotCapable("the environment is empty");
  return value;
}

/** The attempts are the same in every profile: what the host profile adds, the broker does. */
export async function probeConfinement(to: ProbeTargets): Promise<Attempt[]> {
  const attempts: Attempt[] = [];
  for (const one of [...fileTries(to), ...otherTries(to), ...programTries(to)]) {
    attempts.push(await make(one));
  }
  return attempts;
}
