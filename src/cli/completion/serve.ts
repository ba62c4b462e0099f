/** `svc __complete [--no-descriptions] [--next] -- <word>…`: a line with the delegate, then `value<TAB>description` lines. */
import type { Entrance } from "svc/platform/entrance.ts";
import type { ValueSource } from "svc/cli/flags.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import type { Tree } from "svc/cli/tree.ts";
import { type Candidate, complete } from "./engine.ts";

/** Characters that would end a line of the answer or play tricks on a terminal. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The last `--repo` typed, else the working directory. */
function repoAt({ cwd, env }: Pick<Entrance, "cwd" | "env">, words: readonly string[]): string {
  const typed = words.slice(0, -1).flatMap((word, at) => {
    if (word === "--repo" && at + 2 < words.length) return [words[at + 1]!];
    return word.startsWith("--repo=") ? [word.slice("--repo=".length)] : [];
  }).at(-1) ?? "";
  const path = typed.replace(/^~(?=\/|$)/, () => env.get("HOME") ?? "~");
  return path.startsWith("/") ? path : `${cwd()}/${path}`;
}

async function valuesAt(entrance: Entrance, words: readonly string[], source: ValueSource) {
  const { valuesFrom } = await entrance.load("src/cli/completion/values");
  const { denoFiles } = await entrance.load("src/platform/files/files");
  const { env } = entrance;
  return await valuesFrom(source, { files: denoFiles(), env, repo: repoAt(entrance, words) });
}

function lineOf({ value, about }: Candidate, described: boolean): string {
  return described && about !== "" ? `${value}\t${about}` : value;
}

/** Never fails: whatever a completion printed would land in the line that is being typed. */
export async function serveCompletion(
  entrance: Entrance,
  args: readonly string[],
  tree: Tree = TREE,
): Promise<number> {
  const at = args.indexOf("--");
  if (at === -1) return 0;
  const options = args.slice(0, at);
  // Some shells cannot pass on the empty word that is being typed.
  const words = [...args.slice(at + 1), ...(options.includes("--next") ? [""] : [])];
  try {
    const { items, delegate = "" } = await complete(
      tree,
      words,
      (source) => valuesAt(entrance, words, source),
    );
    const lines = items
      .filter(({ value, about }) => value !== "" && !UNSAFE.test(value + about))
      .map((item) => lineOf(item, !options.includes("--no-descriptions")));
    entrance.stdout.write(`${[delegate, ...new Set(lines)].join("\n")}\n`);
  } catch {
    // No candidates; the same words run as a command say what is wrong.
  }
  return 0;
}
