/** A real repo whose commits have the messages given, and svc run on it in this process. */
import { svc } from "tests/kit/entrance.ts";
import { type Files, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

export async function history(messages: readonly string[], files: Files = {}): Promise<TempRepo> {
  const repo = await tempRepo({ files, commit: true });
  for (const message of messages) await repo.commit(message);
  return repo;
}

export async function run(repo: { readonly path: string }, ...args: readonly string[]) {
  const env = { SVC_HOME: `${repo.path}/.git/svc-home`, PATH: "/usr/local/bin:/usr/bin:/bin" };
  return await svc([...args], { env, cwd: repo.path });
}

/** The `--json` object of a command that did not fail. */
export async function told(repo: { readonly path: string }, ...args: readonly string[]) {
  const { code, stdout, stderr } = await run(repo, ...args, "--json");
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** Lines of the entry with the ids of commits taken out. */
export function linesOf(notes: string): string[] {
  return notes.split("\n").filter((line) => /^(?:-|###) /.test(line))
    .map((line) => line.replaceAll(/ \((?:\[?[0-9a-f]{7}\]?(?:\([^)]*\))?(?:, )?)+\)/g, ""));
}
