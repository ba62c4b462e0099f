/** Starts the self-extracting file in a bare environment, and looks at what it unpacked. */
export const built = Deno.env.get("SVC_BIN") ?? "";
if (built === "") throw new Error("Set SVC_BIN to a portable svc, as make test does");

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function start(
  program: string,
  env: Record<string, string>,
  args = ["version"],
): Promise<Ran> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    env: { PATH: "/usr/bin:/bin", ...env },
    clearEnv: true,
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

export async function inFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-portable-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export async function runtimes(home: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(`${home}/bin/runtime`));
  return entries.map(({ name }) => name);
}
