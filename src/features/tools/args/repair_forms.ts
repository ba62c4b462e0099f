/** Forms of a call that differ in more than a name: a range of lines, a line for words, switches that mean the reverse. */
import { shellWords } from "svc/core/shell_words.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
import { NOTHING } from "./repair_fields.ts";
import { type AskedArgs, isTrue, sameValue, scalarText } from "./asked.ts";

function whole(value: unknown): number | undefined {
  const text = typeof value === "string" ? value.trim() : value;
  const number = typeof text === "string" && /^-?\d{1,9}$/.test(text) ? Number(text) : text;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : undefined;
}

/** Lines `from` to `to`, both counted; -1 is the last (Anthropic's `view_range`). */
function setRange(asked: AskedArgs, from: number, to: number | undefined, repair: string): void {
  asked.set("offset", Math.max(1, from), repair);
  if (to !== undefined && to >= from && !asked.has("limit")) asked.set("limit", to - from + 1);
}

/** `end_line` (Gemini CLI, Copilot) and `view_range` (str_replace_editor). */
function fileRead(asked: AskedArgs): void {
  const range = asked.strange("viewrange", "linerange");
  const lines = range === undefined ? undefined : asked.get(range);
  if (Array.isArray(lines) && lines.length === 2 && !asked.has("offset")) {
    const [from, to] = lines.map(whole);
    if (from !== undefined && to !== undefined) {
      asked.drop(range!);
      setRange(asked, from, to, `range:${range}`);
    }
  }
  const end = asked.strange("endline", "lineend", "toline", "endlineoneindexedinclusive");
  if (end !== undefined) {
    const first = asked.has("offset")
      ? "offset"
      : asked.strange("startline", "linestart", "fromline", "startlineoneindexed");
    const from = first === undefined ? 1 : whole(asked.get(first));
    const to = whole(asked.get(end));
    if (from !== undefined && to !== undefined) {
      for (const key of [end, ...(first === undefined ? [] : [first])]) asked.drop(key);
      setRange(asked, from, to, `range:${end}`);
    }
  }
  // Agents that count lines from 0 mean the first.
  if (whole(asked.get("offset")) === 0) asked.drop("offset", "empty:offset");
}

/** Cline, Roo Code and Gemini CLI. */
function fileList(asked: AskedArgs): void {
  const key = asked.strange("recursive");
  if (key === undefined || asked.has("depth")) return;
  const all = isTrue(asked.take("recursive"));
  asked.set("depth", all ? 20 : 1, `key:${key}=depth`);
}

/** `-A` and `-B` of Claude Code, `isRegexp` of Copilot, `case_sensitive` of Gemini CLI. */
function grep(asked: AskedArgs): void {
  const sides = ["a", "b", "after", "before"].map((name) => asked.strange(name))
    .filter((key) => key !== undefined);
  const counts = sides.map((key) => whole(asked.get(key)));
  if (sides.length > 0 && !asked.has("context") && counts.every((count) => count !== undefined)) {
    for (const key of sides) asked.drop(key);
    asked.set("context", Math.max(...counts as number[]), "key:-A,-B=context");
  }
  for (
    const [name, ours, reverse] of [
      ["isregexp", "fixed", true],
      ["isregex", "fixed", true],
      ["casesensitive", "ignore_case", true],
    ] as const
  ) {
    const key = asked.strange(name);
    const value = key === undefined
      ? undefined
      : /^(true|false)$/i.exec(scalarText(asked.get(key)))?.[1];
    if (key === undefined || value === undefined || asked.has(ours)) continue;
    asked.drop(key);
    asked.set(ours, (value.toLowerCase() === "true") !== reverse, `key:${key}=${ours}`);
  }
  // The lines are shown in any case, and with them the files.
  const mode = asked.strange("outputmode");
  if (mode !== undefined) asked.drop(mode, `left_out:${mode}`);
}

/** A folder beside the pattern (Claude Code, OpenCode, Gemini CLI) becomes its start. */
function glob(asked: AskedArgs): void {
  const key = asked.strange("path", "dirpath", "directory", "dir", "folder", "searchdirectory");
  const pattern = asked.get("pattern");
  if (key === undefined || typeof pattern !== "string") return;
  const folder = withoutEnding(scalarText(asked.get(key)), "/").replace(/^(?:\.\/)+/, "");
  if (folder === "" || folder === ".") asked.drop(key, `left_out:${key}`);
  // Signs of a pattern in the folder's name would be read as such.
  else if (/^[\w@.+-][\w@.+/ -]*$/.test(folder) && !pattern.startsWith("/")) {
    asked.drop(key);
    const inner = pattern.includes("/") ? pattern.replace(/^(?:\.\/)+/, "") : `**/${pattern}`;
    asked.set("pattern", `${folder}/${inner}`, `key:${key}=pattern`);
  }
}

/** The longest time that is surely one in seconds: agents count in either. */
const SECONDS_MAX = 999;

function timeout(asked: AskedArgs): void {
  const key = asked.strange(
    "timeout",
    "timeoutms",
    "timeoutsecs",
    "timeoutinseconds",
    "timeoutmilliseconds",
  );
  const value = key === undefined ? undefined : whole(asked.get(key));
  if (key === undefined || value === undefined || asked.has("timeout_seconds")) return;
  const inMs = /ms$|milli/i.test(key) || value > SECONDS_MAX;
  asked.drop(key);
  asked.set(
    "timeout_seconds",
    inMs ? Math.ceil(value / 1000) : value,
    `key:${key}=timeout_seconds`,
  );
}

const isWords = (value: unknown): value is readonly (string | number)[] =>
  Array.isArray(value) && value.length > 0 &&
  value.every((word) => typeof word === "string" || Number.isSafeInteger(word));

/** A list is argv, and a text is a command, whatever they are called. */
function lineOrWords(asked: AskedArgs): void {
  const more = asked.strange("args");
  const command = asked.get("command") ?? asked.get(asked.strange("cmd", "program") ?? "");
  const rest = more === undefined ? undefined : asked.get(more);
  if (!asked.has("argv") && typeof command === "string" && isWords(rest) && /^\S+$/.test(command)) {
    asked.take("args");
    asked.take("cmd", "program");
    asked.drop("command");
    asked.set("argv", [command, ...rest], `key:${more}=argv`);
  }
  for (const key of ["command", asked.strange("cmd", "args", "commandline"), "argv"]) {
    if (key === undefined) continue;
    const value = asked.get(key);
    if (key !== "argv" && isWords(value) && !asked.has("argv")) {
      asked.drop(key);
      asked.set("argv", value, `key:${key}=argv`);
    } else if (key === "argv" && !asked.has("command")) {
      const line = isWords(value) && value.length === 1 ? value[0] : value;
      // A list spelt as a text is read as a list; one word is a program.
      if (typeof line !== "string" || /^\s*\[/.test(line) || !/\s/.test(line.trim())) continue;
      asked.drop("argv");
      asked.set("command", line, "words:argv");
    }
  }
}

const WORD =
  /(?:[^\s;&|<>$`"'\\*?~(){}[\]#!-][^\s;&|<>$`"'\\*?~(){}[\]]*|"[^"$`\\\n]+"|'[^'\n]+')/.source;
const CD_FIRST = new RegExp(`^\\s*cd\\s+(${WORD})\\s*&&\\s*(?=\\S)`);

/** Shell syntax that `command_run` can express itself: another folder, and both streams. */
function withoutShell(asked: AskedArgs): void {
  let line = asked.get("command");
  if (typeof line !== "string" || isTrue(asked.get("shell"))) return;
  const both = /\s2>&1\s*$/.exec(line.slice(-100));
  if (both !== null) {
    line = line.slice(0, line.length - both[0].length);
    asked.set("command", line, "left_out:2>&1");
  }
  const first = CD_FIRST.exec((line as string).slice(0, 4096));
  if (first === null || asked.has("cwd")) return;
  asked.set("command", (line as string).slice(first[0].length), "key:cd=cwd");
  asked.set("cwd", first[1]!.replace(/^(["'])([^]*)\1$/, "$2"));
}

/** Models that fill both fields say one thing twice. */
function oneOfBoth(asked: AskedArgs): void {
  const command = asked.get("command");
  const argv = asked.get("argv");
  if (typeof command !== "string" || !isWords(argv)) return;
  const read = shellWords(command);
  const same = "words" in read && sameValue(read.words, argv.map(String));
  if (same) asked.drop("command", "left_out:command");
}

function commandRun(asked: AskedArgs): void {
  timeout(asked);
  if (!isTrue(asked.get("shell"))) lineOrWords(asked);
  oneOfBoth(asked);
  withoutShell(asked);
  // Codex names the shell that is to run the line; here none runs it.
  const shell = asked.get("shell");
  if (typeof shell === "string" && /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/.test(shell)) {
    asked.drop("shell", "left_out:shell");
  }
}

/** The text of a choice that comes with a description (AskUserQuestion of Claude Code, request_user_input of Codex). */
function choiceText(choice: unknown): unknown {
  if (typeof choice !== "object" || choice === null) return choice;
  const fields = choice as Readonly<Record<string, unknown>>;
  const name = ["label", "text", "value", "title", "name"].find((key) =>
    typeof fields[key] === "string"
  );
  if (name === undefined) return choice;
  const { description } = fields;
  return typeof description === "string" && description !== ""
    ? `${fields[name]}: ${description}`
    : fields[name];
}

/** A question without its disposition, without a reason, or as one object with its choices. */
function finish(asked: AskedArgs): void {
  if (!asked.declares("question")) return;
  const whole = asked.get("question");
  if (typeof whole === "object" && whole !== null && !Array.isArray(whole)) {
    const fields = whole as Readonly<Record<string, unknown>>;
    for (
      const [ours, names] of [
        ["choices", ["choices", "options"]],
        ["evidence", ["why", "reason"]],
        ["question", ["question", "what", "asked", "text"]],
      ] as const
    ) {
      const name = names.find((key) => fields[key] !== undefined);
      if (name === undefined || (ours !== "question" && asked.has(ours))) continue;
      asked.set(ours, fields[name], `form:question.${name}=${ours}`);
    }
  }
  const choices = asked.get("choices");
  if (Array.isArray(choices)) {
    const texts = choices.map(choiceText);
    if (!sameValue(texts, choices)) asked.set("choices", texts, "form:choices");
  }
  const why = asked.take("why");
  const evidence = asked.get("evidence");
  if (typeof why === "string" && typeof evidence === "string") {
    asked.set("evidence", `${evidence}\n${why}`, "key:why=evidence");
  }
  const question = asked.get("question");
  if (typeof question !== "string" || question.trim() === "" || NOTHING.test(question)) return;
  if (!asked.has("disposition")) asked.set("disposition", "question", "form:question=disposition");
  if (!asked.has("evidence")) asked.set("evidence", question, "form:question=evidence");
}

const FORMS: Readonly<Record<string, (asked: AskedArgs) => void>> = {
  file_read: fileRead,
  file_list: fileList,
  grep,
  glob,
  command_run: commandRun,
  finish,
};

export function repairForms(asked: AskedArgs): void {
  if (Object.hasOwn(FORMS, asked.tool)) FORMS[asked.tool]!(asked);
}
