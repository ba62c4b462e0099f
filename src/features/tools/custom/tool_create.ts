/** `tool_create`: writes a definition of a tool of the repo's own. */
import { z } from "zod";
import { CHILD_TIMEOUT_MAX_MS } from "svc/core/bounds.ts";
import { yamlText } from "svc/features/tickets/front_edit.ts";
import {
  CUSTOM_NAME,
  CUSTOM_TOOLS_FOLDER,
  CustomTool,
  customToolPath,
  loadCustomTool,
} from "./file.ts";
import { tool, type ToolSession } from "svc/features/tools/tool.ts";

const args = () =>
  z.strictObject({
    name: z.string().regex(CUSTOM_NAME, 'must look like "repo_format"').describe("repo_…"),
    about: z.string().trim().min(1).max(300).describe("When to use it"),
    argv: z.array(z.string().min(1)).min(1).max(50)
      .describe('Program and arguments with {name} where a value goes: ["deno","fmt","{path}"]'),
    args: z.array(z.string()).max(20).optional()
      .describe(
        '"name: type = about"; type string, integer, boolean or choice(a|b); "name?" may be left out',
      ),
    timeout_seconds: z.int().min(1).max(CHILD_TIMEOUT_MAX_MS / 1000).optional(),
  });
type ToolCreateArgs = z.infer<ReturnType<typeof args>>;

/** Characters of one argument's line; more would make the pattern slow. */
const ARG_CHARS = 1000;

const ARG =
  /^([a-z][a-z0-9_]{0,39})(\?)?\s*:\s*(string|integer|boolean|choice)\s*(?:\(([^()]+)\))?\s*(?:=\s*(\S.*))?$/;

/** @throws Error with the reason, for a line that is no argument */
function argOf(line: string): readonly [string, Record<string, unknown>] {
  const [, name, optional, type, choices, about] = ARG.exec(line.trim().slice(0, ARG_CHARS)) ?? [];
  if (name === undefined) {
    throw new Error(`"${line}" is no argument; write such as "path: string = File to format"`);
  }
  return [name, {
    type,
    ...(choices !== undefined && { choices: choices.split("|").map((one) => one.trim()) }),
    ...(about !== undefined && { about: about.trim() }),
    ...(optional !== undefined && { optional: true }),
  }];
}

/** A list or map of one line is JSON, which is YAML. */
function textOf({ name, about, argv, args, timeout_seconds }: CustomTool): string {
  const lines = Object.entries(args).map(([key, arg]) => `  ${key}: ${JSON.stringify(arg)}`);
  return [
    "# A tool of this repo; usable once approved as it is: svc tools approve " + name,
    ...["version: 1", `name: ${name}`, `about: ${yamlText(about)}`],
    `argv: ${JSON.stringify(argv)}`,
    ...(lines.length === 0 ? [] : ["args:", ...lines]),
    ...[`timeout_seconds: ${timeout_seconds}`, "capability: exec", ""],
  ].join("\n");
}

function definitionOf(asked: ToolCreateArgs): CustomTool | string {
  let described: Record<string, unknown>;
  try {
    described = Object.fromEntries((asked.args ?? []).map(argOf));
  } catch (thrown) {
    return (thrown as Error).message;
  }
  const { name, about, argv, timeout_seconds } = asked;
  const parsed = CustomTool.safeParse({
    version: 1,
    name,
    about,
    argv,
    args: described,
    ...(timeout_seconds !== undefined && { timeout_seconds }),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `"${issue!.path.join(".")}" ${issue!.message}`;
}

async function write(
  { tree: { folder }, seen }: ToolSession,
  definition: CustomTool,
): Promise<void> {
  const path = customToolPath(definition.name);
  await folder.makeFolder(CUSTOM_TOOLS_FOLDER);
  const bytes = new TextEncoder().encode(textOf(definition));
  // Never overwrites: the file may be approved, and another role's.
  await folder.write(path, bytes, { expected: null });
  const { size, mtimeMs, sha256 } = await folder.read(path, { maxBytes: bytes.length });
  seen.set(path, { size, mtimeMs, sha256 });
}

export const toolCreate = tool<ToolCreateArgs>({
  name: "tool_create",
  about: "Makes a tool of a command line that is needed often; used from the next session on.",
  capability: "write",
  args,
  touches: ({ name }) => ({ writes: [customToolPath(name)] }),
  async run(session, asked) {
    const definition = definitionOf(asked);
    if (typeof definition === "string") {
      return { ok: false, text: `Cannot make the tool: ${definition}` };
    }
    const { name } = definition;
    await write(session, definition);
    const loaded = await loadCustomTool(session.tree.folder, name);
    await session.approveTool?.(name, loaded.sha256);
    const approved = session.approveTool !== undefined;
    const next = approved
      ? "It is approved and can be used from the next session on, by roles whose tools name it"
      : `A person has to approve it: svc tools approve ${name}`;
    return {
      ok: true,
      text: `Wrote ${customToolPath(name)}. ${next}`,
      facts: { path: customToolPath(name), sha256: loaded.sha256, approved },
    };
  },
});
