/** SHA-256 of a file, by coreutils' sha256sum. */
export async function sha256Of(path: string): Promise<string> {
  const { success, stdout } = await new Deno.Command("sha256sum", { args: [path] }).output();
  if (!success) throw new Error(`no digest of ${path}`);
  return new TextDecoder().decode(stdout).split(" ", 1)[0]!;
}
