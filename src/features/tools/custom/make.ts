/** Makes a tool of a repo's own definition, for as long as what was approved is what lies there. */
import { z } from "zod";
import { quoted } from "svc/core/repo_path.ts";
import { runChild } from "svc/features/tools/command_run.ts";
import {
  type CustomTool,
  customToolPath,
  filled,
  findCustomTools,
  leadingPlaceholders,
  loadCustomTool,
  placeholders,
  type ToolFolder,
} from "./file.ts";
import { type AnyTool, tool } from "svc/features/tools/tool.ts";

type IsApproved = (name: string, sha256: string) => Promise<boolean>;

export interface ListedCustomTool {
  readonly name: string;
  readonly path: string;
  readonly state: "approved" | "not_approved" | "broken";
  /** Why it cannot be used; absent when approved. */
  readonly reason?: string;
}

type CustomToolArgs = Readonly<Record<string, string | number | boolean>>;

/** Control characters could mean anything to a program. */
const ONE_LINE = z.string().max(4096).regex(/^\P{Cc}*$/u, "must have no control character");

function argsOf({ args }: CustomTool): z.ZodType<CustomToolArgs> {
  const shapes = Object.entries(args).map(([name, { type, about, choices, optional }]) => {
    const kinds = { string: ONE_LINE, integer: z.int(), boolean: z.boolean() };
    const plain = type === "choice" ? z.enum(choices as [string, ...string[]]) : kinds[type];
    const told = about === undefined ? plain : plain.describe(about);
    return [name, optional ? told.optional() : told] as const;
  });
  return z.strictObject(Object.fromEntries(shapes)) as unknown as z.ZodType<CustomToolArgs>;
}

/** A word with a missing argument is left out. */
function wordsOf({ argv }: Pick<CustomTool, "argv">, given: CustomToolArgs): string[] {
  return argv
    .filter((word) => placeholders(word).every((name) => given[name] !== undefined))
    .map((word) => filled(word, (name) => String(given[name])));
}

/** The argument that a program would take for an option: empty ones before it leave it at the word's start. */
function optionLike({ argv }: CustomTool, given: CustomToolArgs): string | undefined {
  for (const word of argv) {
    const names = leadingPlaceholders(word);
    const first = names.find((name) => String(given[name] ?? "") !== "") ?? names.at(-1);
    const [whole] = wordsOf({ argv: [word] }, given);
    if (first !== undefined && whole?.startsWith("-")) return first;
  }
  return undefined;
}

function customTool(definition: CustomTool, isApproved: IsApproved): AnyTool {
  const { name, about, timeout_seconds } = definition;
  return tool<CustomToolArgs>({
    name,
    about,
    capability: "exec",
    args: () => argsOf(definition),
    touches: (given) => ({ argv: wordsOf(definition, given) }),
    async run(session, given, call) {
      // The work tree may have changed since the tools were listed.
      const now = await loadCustomTool(session.tree.folder, name);
      const same = JSON.stringify(now.tool) === JSON.stringify(definition);
      if (!same || !await isApproved(name, now.sha256)) {
        return {
          ok: false,
          text:
            `${customToolPath(name)}, or the program it names, changed since it was approved. ` +
            `Go on without it; a person approves it with: svc tools approve ${name}`,
        };
      }
      const option = optionLike(definition, given);
      if (option !== undefined) {
        const text = `${quoted(option)} must not start with "-": it would be read as an option`;
        return { ok: false, text };
      }
      const words = wordsOf(definition, given);
      return await runChild(session, { words, timeoutMs: timeout_seconds * 1000 }, call);
    },
  });
}

export async function customTools(
  folder: ToolFolder,
  isApproved: IsApproved,
): Promise<{ readonly tools: readonly AnyTool[]; readonly listed: readonly ListedCustomTool[] }> {
  const tools: AnyTool[] = [];
  const listed: ListedCustomTool[] = [];
  for (const found of await findCustomTools(folder)) {
    const { name } = found;
    const path = customToolPath(name);
    if ("reason" in found) {
      listed.push({ name, path, state: "broken", reason: found.reason });
    } else if (await isApproved(name, found.sha256)) {
      tools.push(customTool(found.tool, isApproved));
      listed.push({ name, path, state: "approved" });
    } else {
      const reason = `nobody approved it as it is now: svc tools approve ${name}`;
      listed.push({ name, path, state: "not_approved", reason });
    }
  }
  return { tools, listed };
}
