/** The recorded difference of two versions, as the turns in which a model makes it with svc's tools. */
import type { ScriptedReply } from "tests/kit/model_scenario.ts";
import { call } from "tests/kit/scripted_turns.ts";
import type { ReplayCase } from "./case.ts";
import { tried, type Versions } from "./source.ts";

export interface Change {
  /** From the root of the project. */
  readonly path: string;
  /** Absent where the file is made, or removed. */
  readonly before?: string;
  readonly after?: string;
}

export const covers = (paths: readonly string[]) => (path: string) =>
  paths.some((one) => one === path || (one.endsWith("/") && path.startsWith(one)));

/** @throws Error for a name that is no plain text in git's listing, or when nothing differs */
export async function changesOf(
  { before, after }: Versions,
  fix: readonly string[],
): Promise<Change[]> {
  const args = ["git", "diff", "--no-index", "--no-renames", "--name-only", before, after];
  const { text } = await tried("/", args);
  const names = text.split("\n").filter((line) => line !== "").map((line) =>
    [before, after].map((folder) => `${folder}/`).find((folder) => line.startsWith(folder))
      ? line.slice((line.startsWith(`${before}/`) ? before : after).length + 1)
      : line
  );
  const paths = [...new Set(names)].filter(covers(fix)).sort();
  if (paths.length === 0) throw new Error(`nothing of ${fix.join(", ")} differs`);
  return await Promise.all(paths.map(async (path) => {
    const [old, fresh] = await Promise.all(
      [before, after].map((folder) =>
        Deno.readTextFile(`${folder}/${path}`).catch((thrown) => {
          if (thrown instanceof Deno.errors.NotFound) return undefined;
          throw thrown;
        })
      ),
    );
    return {
      path,
      ...(old !== undefined && { before: old }),
      ...(fresh !== undefined && { after: fresh }),
    };
  }));
}

/** Lines around a change; more where the text would stand in the file twice. */
const CONTEXTS = [3, 12, 40];

interface Edit {
  readonly old: string;
  readonly new: string;
}

async function hunks(from: string, to: string, context: number): Promise<Edit[]> {
  const args = ["diff", "--text", `--unified=${context}`, from, to];
  const { text } = await tried("/", args);
  return text.split(/^@@ .*\n/m).slice(1).map((hunk) => {
    const lines = hunk.replace(/^\\ No newline.*\n?/gm, "").split("\n").slice(0, -1);
    const side = (sign: string) =>
      lines.filter((line) => line[0] === " " || line[0] === sign)
        .map((line) => `${line.slice(1)}\n`).join("");
    return { old: side("-"), new: side("+") };
  });
}

/** Undefined: the file has to be written as a whole. */
async function edits(
  { before, after }: Versions,
  { path, before: text = "", after: wanted }: Change,
): Promise<Edit[] | undefined> {
  for (const context of CONTEXTS) {
    const found = await hunks(`${before}/${path}`, `${after}/${path}`, context);
    let now = text;
    const clear = found.every(({ old, new: fresh }) => {
      const parts = old === "" ? [] : now.split(old);
      now = parts.join(fresh);
      return parts.length === 2;
    });
    if (clear && now === wanted) return found;
  }
  return undefined;
}

async function turnsFor(
  versions: Versions,
  folder: string,
  change: Change,
): Promise<ScriptedReply[]> {
  const path = `${folder}${change.path}`;
  if (change.after === undefined) return [call("command_run", { argv: ["rm", path] })];
  if (change.before === undefined) {
    return [call("file_write", literally({ path, content: change.after }))];
  }
  const read = call("file_read", { path });
  const found = await edits(versions, change);
  return found === undefined
    ? [read, call("file_write", literally({ path, content: change.after }))]
    : [
      read,
      ...batches(found).map((some) => ({ calls: some.map((edit) => editCall(path, edit)) })),
    ];
}

/** Models call several tools in one turn; a job has 50 turns. */
const CALLS_A_TURN = 8;

function batches(all: readonly Edit[]): Edit[][] {
  const starts = Array.from({ length: Math.ceil(all.length / CALLS_A_TURN) }, (_, at) => at);
  return starts.map((at) => all.slice(at * CALLS_A_TURN, (at + 1) * CALLS_A_TURN));
}

const editCall = (path: string, edit: Edit) => ({
  name: "file_edit",
  args: literally({ path, ...edit }),
});

/** As JSON, in which a scripted reply finds no `{{…}}` to fill in. */
const literally = (args: unknown) => JSON.stringify(args).replaceAll("{{", "\\u007b\\u007b");

/** Reads, edits and writes each file of the fix, commits, and finishes. */
export async function engineerTurns(
  one: ReplayCase,
  versions: Versions,
  changes: readonly Change[],
): Promise<ScriptedReply[]> {
  const folder = one.folder === undefined ? "" : `${one.folder}/`;
  const all: ScriptedReply[] = [];
  for (const change of changes) all.push(...await turnsFor(versions, folder, change));
  return [
    ...all,
    call("git_commit", { message: `fix: ${one.ticket.title.toLowerCase()}` }),
    call("finish", { disposition: "submitted", evidence: one.ticket.accept }),
  ];
}
