/** A package of npm as it was published, with a lock file for what it needs. */
import { tempFolder } from "tests/kit/temp_repo.ts";

export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const asked = new Deno.Command("npm", { args, cwd, stdin: "null", stderr: "piped" });
  const { success, stdout, stderr } = await asked.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/** Its text files below, by path; undefined, and said so, without npm or its registry. */
export async function published(
  name: string,
  version: string,
  files: readonly string[],
  change: (manifest: string) => string = (manifest) => manifest,
): Promise<Record<string, string> | undefined> {
  await using folder = await tempFolder();
  const at = `${folder.path}/package`;
  try {
    await npm(folder.path, "pack", "--silent", `${name}@${version}`);
    const args = ["-xzf", `${folder.path}/${name}-${version}.tgz`, "-C", folder.path];
    await new Deno.Command("tar", { args }).output();
    const manifest = `${at}/package.json`;
    await Deno.writeTextFile(manifest, change(await Deno.readTextFile(manifest)));
    await npm(at, "install", "--package-lock-only", "--no-audit", "--no-fund");
  } catch (thrown) {
    console.warn(`npm cannot be used here, so that its test is skipped: ${thrown}`);
    return undefined;
  }
  const names = ["package.json", "package-lock.json", ...files];
  const read = async (path: string) => [path, await Deno.readTextFile(`${at}/${path}`)];
  return Object.fromEntries(await Promise.all(names.map(read)));
}
