/** Calls of other agents' tools: as calls of svc's where the effect is the same, else with a hint what to call. */
import { bareToolName, counterpartOf } from "svc/core/tool_names.ts";
import { scalarText } from "./asked.ts";
import { foldedKey } from "./other_keys.ts";

export type OtherCall =
  /** `fresh` is a file that the call would only make, never replace. */
  | { readonly tool: string; readonly given: object; readonly fresh?: string }
  /** `tool` is "" where svc has nothing like it. */
  | { readonly tool: string; readonly hint: string };

const ONE_EDIT = "make one call of file_edit for each place, and use file_write for a new file";
const NOBODY =
  "nobody answers during a run: decide by yourself; what only a person can decide, ask by the " +
  "disposition question where finish has it, else finish as blocked and say who must decide what";

/** Names whose tools do something else, or take what no tool of svc takes; by folded name. */
const HINTS: Readonly<Record<string, string>> = {
  multiedit: ONE_EDIT,
  applypatch: `patches are not read here: ${ONE_EDIT}`,
  applydiff: `patches are not read here: ${ONE_EDIT}`,
  patch: `patches are not read here: ${ONE_EDIT}`,
  insert: "take a line of the file as old, and the same line with the new ones as new",
  inserteditintofile: ONE_EDIT,
  notebookedit: "a notebook is a text file here",
  undoedit: "nothing is undone here: edit the text back",
  readmanyfiles: "read one file a call; several calls may stand in one reply",
  readfiles: "read one file a call; several calls may stand in one reply",
  getfilecontents: "read one file of the repo a call",
  searchcodebase: "one pattern a call; grep finds text, and code_symbols finds definitions",
  codebasesearch:
    "nothing searches by meaning: grep finds text, and code_symbols finds definitions",
  semanticsearch:
    "nothing searches by meaning: grep finds text, and code_symbols finds definitions",
  runcommands: "make one call for each command",
  python: "run the interpreter as a program, with the code in stdin or in a file",
  executeipythoncell: "run the interpreter as a program, with the code in stdin or in a file",
  askfollowupquestion: NOBODY,
  askuser: NOBODY,
  askuserquestion: NOBODY,
  askquestion: NOBODY,
  requestuserinput: NOBODY,
  question: NOBODY,
};

/** Why svc has nothing like it, by a part of the folded name. */
const NOTHING_LIKE: readonly (readonly [RegExp, string])[] = [
  [/todo|plan|tasktracker/, "There is no list or plan to keep: go on with the work itself."],
  [/think/, "Think without a tool, then call the next one."],
  [/web|fetch|browser/, "No tool reaches the web: go on with what the repo has."],
  [/task|agent/, "There are no other agents: do it with the tools that there are."],
  [/./, "Nothing here is like it: go on with the tools that there are."],
];

/** They refuse a file that exists: "create" of OpenHands and Copilot. */
const CREATES = new Set(["create", "createfile", "createnewfile"]);

type Given = Readonly<Record<string, unknown>>;

function creation(given: Given): OtherCall {
  const key = Object.keys(given).find((one) =>
    /^(?:path|filepath|filename|file)$/.test(foldedKey(one))
  );
  const path = key === undefined ? undefined : given[key];
  return { tool: "file_write", given, ...(typeof path === "string" && { fresh: path }) };
}

/** Anthropic's text editor tool has its verb in `command` (@anthropic-ai/sdk, `str_replace_based_edit_tool`). */
function editorCall({ command, ...given }: Given): OtherCall {
  if (command === "view") return { tool: "file_read", given };
  if (command === "str_replace") return { tool: "file_edit", given };
  if (command === "create") return creation(given);
  const verb = foldedKey(scalarText(command));
  const hint = Object.hasOwn(HINTS, verb) ? HINTS[verb]! : ONE_EDIT;
  return { tool: "file_edit", hint };
}

/** @returns undefined for a name that no known agent has */
export function otherAgentsCall(written: string, given: object): OtherCall | undefined {
  const tool = counterpartOf(written);
  if (tool === undefined) return undefined;
  const name = foldedKey(bareToolName(written)).replaceAll(".", "");
  if (tool === "") return { tool, hint: NOTHING_LIKE.find(([part]) => part.test(name))![1] };
  if (Object.hasOwn(HINTS, name)) return { tool, hint: HINTS[name]! };
  const fields = given as Given;
  if (name.startsWith("strreplace") && Object.hasOwn(fields, "command")) return editorCall(fields);
  return CREATES.has(name) ? creation(fields) : { tool, given };
}
