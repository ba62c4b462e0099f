/** `knowledge_read`: the documents that the repo names for a topic or for a path. */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { globMatcher } from "svc/core/glob.ts";
import { foldedParts, quoted } from "svc/core/repo_path.ts";
import {
  KNOWLEDGE_ROUTES,
  knowledgeFor,
  type KnowledgeRoute,
  readKnowledgeRoutes,
} from "svc/features/harness/knowledge_routes.ts";
import { listSkills, SKILLS, skillText } from "svc/features/harness/skills.ts";
import { mustBeShowable } from "./credential_files.ts";
import { filePath } from "./path_arg.ts";
import { readText } from "./text_file.ts";
import { tool, type ToolAnswer, type ToolSession } from "./tool.ts";

const KNOWLEDGE_ROUTES_BYTES = 64 * 1024;

const KNOWLEDGE_DOCUMENTS = 10;

async function routesOf({ tree: { folder } }: ToolSession): Promise<readonly KnowledgeRoute[]> {
  if (await folder.stat(KNOWLEDGE_ROUTES) === undefined) return [];
  const { bytes } = await folder.read(KNOWLEDGE_ROUTES, { maxBytes: KNOWLEDGE_ROUTES_BYTES });
  return readKnowledgeRoutes(new TextDecoder().decode(bytes), KNOWLEDGE_ROUTES);
}

interface KnowledgeDocument {
  readonly path: string;
  readonly text: string | undefined;
  readonly fault?: string;
}

/** A missing document is reported: the others are still worth reading. */
async function read(session: ToolSession, path: string): Promise<KnowledgeDocument> {
  try {
    await mustBeShowable(session, path);
    const file = await readText(session, path);
    if (file !== undefined) return { path, text: file.text };
    return { path, text: undefined, fault: "it is no text" };
  } catch (thrown) {
    const failure = Failure.from(thrown);
    if (failure.code === "internal") throw thrown;
    return { path, text: undefined, fault: failure.message };
  }
}

/** Every word of the topic is in the path or the text. */
function isAbout({ path, text = "" }: KnowledgeDocument, topic: string): boolean {
  const all = `${path}\n${text}`.toLowerCase();
  return topic.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

const shown = ({ path, text, fault }: KnowledgeDocument) =>
  text === undefined ? `=== ${path}: ${fault}` : `=== ${path}\n${text.trimEnd()}`;

function matcherOf(pattern: string): (path: string) => boolean {
  const covers = globMatcher(pattern);
  return (path) => covers(foldedParts(path));
}

function listing(routes: readonly KnowledgeRoute[]): string {
  const lines = routes.map(({ match, read }) => `${match.join(", ")}: ${read.join(", ")}`);
  const head = "Paths, and the documents for them; give path or topic to read them";
  return [head, ...lines].join("\n");
}

/** From the registered checkout, as the prompt's list of them. */
async function readSkill({ repo }: ToolSession, asked: string): Promise<ToolAnswer> {
  const { folder } = repo;
  const text = await skillText(folder, asked);
  if (text !== undefined) {
    await mustBeShowable({ tree: repo, seen: new Map() }, `${SKILLS}/${asked}`);
    const rest = "That is not all: the file is too long for one answer";
    return { ok: true, text, facts: { skill: asked }, readOn: () => rest };
  }
  const names = (await listSkills(folder)).map(({ name }) => name);
  const known = names.length === 0 ? "The repo has none" : `There are: ${names.join(", ")}`;
  return { ok: false, text: `There is no skill ${quoted(asked)}. ${known}` };
}

export const knowledgeRead = tool({
  name: "knowledge_read",
  about:
    "Reads the project's documents on a topic or for a path, or a skill; without any lists them.",
  capability: "read",
  args: () =>
    z.strictObject({
      topic: z.string().trim().min(1).max(200).optional().describe("Words that it must hold"),
      path: filePath("A file that you work on").optional(),
      skill: z.string().trim().min(1).max(200).optional().describe(
        "A skill's name, or a file of it",
      ),
    }),
  async run(session, { topic, path, skill }) {
    if (skill !== undefined) return await readSkill(session, skill);
    const routes = await routesOf(session);
    if (routes.length === 0) {
      const text = `${KNOWLEDGE_ROUTES} names no documents. Look with file_list and grep`;
      return { ok: true, text, facts: { documents: [] } };
    }
    if (topic === undefined && path === undefined) return { ok: true, text: listing(routes) };
    const named = path === undefined
      ? [...new Set(routes.flatMap((route) => route.read))]
      : knowledgeFor(routes, [path], matcherOf);
    const found: KnowledgeDocument[] = [];
    for (const one of named) {
      const document = await read(session, one);
      if (topic === undefined || isAbout(document, topic)) found.push(document);
      if (found.length === KNOWLEDGE_DOCUMENTS) break;
    }
    return {
      ok: true,
      text: found.length === 0
        ? `No document fits. ${listing(routes)}`
        : found.map(shown).join("\n\n"),
      facts: { documents: found.map((document) => document.path) },
      readOn: () => "Read one of the documents with file_read",
    };
  },
});
