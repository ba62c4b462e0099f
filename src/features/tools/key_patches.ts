/** Private keys in patches: a hunk shows some lines of a file, so the line by which a key is known may be outside. */
import { BEGIN, BODY, END, KEY_LINE, linesWithoutKeys } from "./key_lines.ts";
import type { ToolSession } from "./tool.ts";

/** A whole line of a key in base64, which is 64 characters long, or 70 as OpenSSH writes it. */
const FULL = /^[\s>*#/|+"'`-]{0,40}[A-Za-z0-9+/=]{40,}(?:\\[nr])*[\s"'`,;+\\|]{0,20}$/;

/** So that usual patches cost nothing. */
const SUSPECT = /[A-Za-z0-9+/=]{40}/;

/** Places of a side's lines that belong to a key. @param inKeyFile the file holds one somewhere */
function hiddenIn(lines: readonly string[], inKeyFile: boolean): ReadonlySet<number> {
  const hidden = new Set<number>();
  let key: number[] | undefined;
  let marked = false;
  const back = (from: number) => {
    for (let at = from; at >= 0 && BODY.test(lines[at]!); at--) hidden.add(at);
  };
  for (const [at, text] of lines.entries()) {
    if (BEGIN.test(text)) {
      [key, marked] = [END.test(text) ? undefined : [], true];
      continue;
    }
    if (END.test(text)) {
      if (key === undefined && !marked) back(at - 1);
      for (const place of key ?? []) hidden.add(place);
      [key, marked] = [undefined, true];
    } else if (key !== undefined && BODY.test(text)) key.push(at);
    else key = undefined;
  }
  // The hunk ends within it.
  if (key?.some((at) => FULL.test(lines[at]!))) { for (const at of key) hidden.add(at); }
  if (inKeyFile && !marked) {
    let run: number[] = [];
    for (const [at, text] of [...lines, "."].entries()) {
      if (BODY.test(text)) {
        run.push(at);
        continue;
      }
      // Its last line may be short.
      if (run.some((one) => FULL.test(lines[one]!))) { for (const one of run) hidden.add(one); }
      run = [];
    }
  }
  return hidden;
}

/** Both sides of the hunk, each as its file has them. */
function withoutKeys(hunk: readonly string[], inKeyFile: boolean): readonly string[] {
  const shown = [...hunk];
  for (const sign of ["-", "+"]) {
    const places = [...hunk.keys()].filter((at) => [" ", sign].includes(hunk[at]![0] ?? " "));
    const lines = places.map((at) => hunk[at]!.slice(1));
    for (const at of hiddenIn(lines, inKeyFile)) {
      shown[places[at]!] = `${hunk[places[at]!]![0] ?? " "}${KEY_LINE}`;
    }
  }
  return shown;
}

/** Such as `b/src/main.ts`; undefined for a name in quotes, and for none. */
const nameIn = (line: string) => /^\+\+\+ b\/([^\t]*)\t?$/.exec(line)?.[1];

/** Behind its numbers stands a line from above the hunk, which git takes for the start of a function. */
function headOf(head: string, inKeyFile: boolean): string {
  const [, numbers = "", line = ""] = /^(@@ [^@]* @@ ?)(.*)$/.exec(head) ?? [];
  return inKeyFile && FULL.test(line) ? numbers + KEY_LINE : head;
}

/** @param patch of git, with its usual lines of context */
export async function patchWithoutKeys(
  session: Pick<ToolSession, "tree">,
  patch: string,
): Promise<string> {
  if (!SUSPECT.test(patch)) return patch;
  const parts = patch.split(/^(?=diff --git |@@ )/m);
  const shown: string[] = [];
  // A file of which nothing can be told may hold one.
  let inKeyFile = true;
  for (const part of parts) {
    if (!part.startsWith("@@ ")) {
      const name = part.split("\n").map(nameIn).find((found) => found !== undefined);
      const lines = name === undefined ? undefined : await linesWithoutKeys(session, name);
      inKeyFile = lines?.includes(KEY_LINE) ?? true;
      shown.push(part);
      continue;
    }
    const [head = "", ...hunk] = part.split("\n");
    shown.push([headOf(head, inKeyFile), ...withoutKeys(hunk, inKeyFile)].join("\n"));
  }
  return shown.join("");
}
