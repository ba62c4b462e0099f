/** Tools that a repo brings: `.harness/tools/<name>.yaml`, a command line with typed arguments. */
import { z } from "zod";
import { CHILD_TIMEOUT_MAX_MS, CHILD_TIMEOUT_MS, FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted, repoPath } from "svc/core/repo_path.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { isShell } from "svc/features/tools/shell_name.ts";

/** Bytes of a tool's definition. */
const CUSTOM_TOOL_BYTES = 16 * 1024;

/** Per repo; each takes room in every request to a model. */
const CUSTOM_TOOLS = 50;

export const CUSTOM_TOOLS_FOLDER = ".harness/tools";

/** The prefix keeps them apart from built-in tools, also of later versions. */
export const CUSTOM_NAME = /^repo_[a-z][a-z0-9_]{0,38}$/;
const PLACEHOLDER = /\{([a-z][a-z0-9_]{0,39})\}/g;

const text = (most: number) => z.string().min(1).max(most).regex(/^\P{Cc}+$/u, "must be one line");

const Arg = z.strictObject({
  type: z.enum(["string", "integer", "boolean", "choice"]),
  about: text(200).optional(),
  choices: z.array(text(100)).min(1).max(50).optional(),
  optional: z.boolean().default(false),
}).refine(({ type, choices }) => (type === "choice") === (choices !== undefined), {
  error: '"choices" belongs to type "choice", and to no other',
});

export const placeholders = (word: string): string[] =>
  [...word.matchAll(PLACEHOLDER)].map(([, name]) => name!);

/** Braces that hold no name stay: those of a pattern (`[0-9]{4}`), or of a format (`{0}`). */
export const filled = (word: string, valueOf: (name: string) => string): string =>
  word.replaceAll(PLACEHOLDER, (_, name) => valueOf(name));

/** Those that a word begins with. */
export const leadingPlaceholders = (word: string): string[] =>
  placeholders(new RegExp(`^(?:${PLACEHOLDER.source})+`).exec(word)?.[0] ?? "");

function programFault(program: string): string | undefined {
  if (placeholders(program).length > 0) return "the program must not be an argument";
  if (isShell(program)) return "a shell would read the arguments as code";
  if (!program.includes("/")) return undefined;
  if (!program.startsWith("./")) return 'the program must be a bare name, or start with "./"';
  try {
    repoPath(program.slice(2));
    return undefined;
  } catch {
    return "the program must be a path inside the repo";
  }
}

export const CustomTool = z.strictObject({
  version: z.literal(1),
  name: z.string().regex(CUSTOM_NAME, 'must look like "repo_format"'),
  about: text(300),
  argv: z.array(text(1000)).min(1).max(50),
  args: z.record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), Arg).default({}),
  timeout_seconds: z.int().min(1).max(CHILD_TIMEOUT_MAX_MS / 1000)
    .default(CHILD_TIMEOUT_MS / 1000),
  capability: z.literal("exec").default("exec"),
}).superRefine(({ argv, args }, context) => {
  const issue = (path: string, message: string) =>
    context.addIssue({ code: "custom", path: [path], message });
  const fault = programFault(argv[0]!);
  if (fault !== undefined) issue("argv", fault);
  const used = new Set(argv.flatMap(placeholders));
  for (const name of used) {
    if (!Object.hasOwn(args, name)) issue("argv", `names {${name}}, which is not in args`);
  }
  for (const name of Object.keys(args)) {
    if (!used.has(name)) issue("args", `"${name}" is not used in argv`);
  }
});
export type CustomTool = z.infer<typeof CustomTool>;

interface LoadedCustomTool {
  readonly tool: CustomTool;
  /** Hex; of the file, and of the program where that lies in the repo. */
  readonly sha256: string;
}

/** @throws Failure `usage` */
export function checkedName(name: string): string {
  if (CUSTOM_NAME.test(name)) return name;
  throw new Failure("usage", `Cannot use ${quoted(name)} as a tool of a repo: it is no such name`, {
    remedy: "Give a name such as repo_format; svc tools list shows the repo's tools",
  });
}

export const customToolPath = (name: string) => `${CUSTOM_TOOLS_FOLDER}/${name}.yaml`;

export type ToolFolder = Pick<Folder, "list" | "read" | "stat">;

async function digestOf(folder: ToolFolder, { argv }: CustomTool, file: string): Promise<string> {
  const program = argv[0]!;
  if (!program.startsWith("./")) return file;
  const script = await folder.read(program.slice(2), { maxBytes: FILE_WRITE_BYTES });
  if (!script.truncated) {
    return await sha256(new TextEncoder().encode(`${file}\n${script.sha256}`));
  }
  throw new Failure("refused", `Cannot use ${quoted(program)}: it is too large to be approved`);
}

/** @throws Failure when it is missing or not valid */
export async function loadCustomTool(folder: ToolFolder, name: string): Promise<LoadedCustomTool> {
  const path = customToolPath(name);
  const read = await folder.read(path, { maxBytes: CUSTOM_TOOL_BYTES });
  if (read.truncated) {
    throw new Failure("environment", `Cannot read "${path}": it is too long`, {
      remedy: `Shorten ${path} to ${CUSTOM_TOOL_BYTES} bytes`,
    });
  }
  const tool = readYaml({ text: new TextDecoder().decode(read.bytes), path }, CustomTool);
  if (tool.name !== name) {
    throw new Failure("environment", `Cannot read "${path}": it names the tool "${tool.name}"`, {
      remedy: `Edit "name" in ${path}, or rename the file`,
    });
  }
  return { tool, sha256: await digestOf(folder, tool, read.sha256) };
}

type FoundCustomTool =
  | (LoadedCustomTool & { readonly name: string })
  | { readonly name: string; readonly reason: string };

/** All files of the folder by name; a file that is not a valid tool comes with the reason. */
export async function findCustomTools(folder: ToolFolder): Promise<readonly FoundCustomTool[]> {
  if ((await folder.stat(CUSTOM_TOOLS_FOLDER))?.kind !== "folder") return [];
  const { entries } = await folder.list(CUSTOM_TOOLS_FOLDER);
  const names = entries.map(({ name }) => name).filter((name) => /\.ya?ml$/.test(name)).sort();
  const found: FoundCustomTool[] = [];
  for (const file of names.slice(0, CUSTOM_TOOLS)) {
    const name = file.replace(/\.ya?ml$/, "");
    try {
      if (!CUSTOM_NAME.test(name) || !file.endsWith(".yaml")) {
        found.push({ name, reason: "its file must be named like repo_format.yaml" });
      } else found.push({ name, ...await loadCustomTool(folder, name) });
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal") throw thrown;
      found.push({ name, reason: failure.message });
    }
  }
  for (const file of names.slice(CUSTOM_TOOLS)) {
    found.push({ name: file, reason: `only ${CUSTOM_TOOLS} tools of a repo are used` });
  }
  return found;
}
