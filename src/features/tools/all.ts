/** Every built-in tool, in the order in which models are shown them. */
import type { ReportedDisposition } from "svc/core/disposition.ts";
import { checkRun } from "./check_run.ts";
import { codeReferences } from "./code_references.ts";
import { codeRelated } from "./code_related.ts";
import { codeSymbols } from "./code_symbols.ts";
import { commandRun } from "./command_run.ts";
import { define } from "./definitions.ts";
import { fileEdit } from "./file_edit.ts";
import { fileList } from "./file_list.ts";
import { fileRead } from "./file_read.ts";
import { fileWrite } from "./file_write.ts";
import { finish, finishFor } from "./finish.ts";
import { gitCommit } from "./git_commit.ts";
import { gitDiff } from "./git_diff.ts";
import { gitLog } from "./git_log.ts";
import { gitPush } from "./git_push.ts";
import { gitStatus } from "./git_status.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { knowledgeRead } from "./knowledge_read.ts";
import { leftovers } from "./leftovers.ts";
import { PARAMETERS } from "./parameters.gen.ts";
import { recordDecision } from "./record_decision.ts";
import { ticketCreate } from "./ticket_create.ts";
import { ticketList } from "./ticket_list.ts";
import { ticketRead } from "./ticket_read.ts";
import { toolCreate } from "svc/features/tools/custom/tool_create.ts";
import type { AnyTool } from "./tool.ts";

export const TOOLS: readonly AnyTool[] = [
  fileRead,
  fileList,
  glob,
  grep,
  fileWrite,
  fileEdit,
  gitStatus,
  gitDiff,
  gitLog,
  ticketRead,
  ticketList,
  knowledgeRead,
  codeSymbols,
  codeReferences,
  codeRelated,
  ticketCreate,
  recordDecision,
  toolCreate,
  commandRun,
  checkRun,
  gitCommit,
  gitPush,
  finish,
];

// Tools can be listed without building the shape of their arguments.
for (const tool of TOOLS) {
  const parameters = PARAMETERS[tool.name];
  if (parameters !== undefined) define(tool, parameters);
}

/** For a session that may report these dispositions only. @param more what only some sessions have a use for */
export function toolsFor(
  dispositions: readonly ReportedDisposition[],
  more: { readonly leftovers?: boolean; readonly asks?: boolean } = {},
): readonly AnyTool[] {
  const { asks = false } = more;
  const tools = TOOLS.map((tool) => tool === finish ? finishFor({ dispositions, asks }) : tool);
  return more.leftovers ? [...tools.slice(0, -1), leftovers, ...tools.slice(-1)] : tools;
}
