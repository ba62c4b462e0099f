/** Skills of a repo: how one kind of work is done there, in the format of Agent Skills (agentskills.io/specification). */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { plainText } from "svc/core/plain_text.ts";
import { shortened } from "svc/core/shortened.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { readYaml } from "svc/platform/yaml.ts";

export const SKILLS = ".harness/skills";
const SKILL_BYTES = 64 * 1024;

const SKILLS_LISTED = 40;

/** Characters; the format allows 1,024, and a prompt pays for each in every run. */
const DESCRIPTION_CHARS = 300;

export interface Skill {
  /** That of its folder, by which it is read. */
  readonly name: string;
  /** One line: what it does and when to use it. */
  readonly description: string;
}

/** Other keys are for other programs. */
const FrontMatter = z.object({ description: z.string().trim().min(1) });

type Reader = Pick<Folder, "list" | "read">;

/** Never from a job's work tree: an agent cannot change its instructions. Empty where there are none. */
export async function listSkills(folder: Reader): Promise<readonly Skill[]> {
  const entries = await orAbsent(folder.list(SKILLS));
  const found: Skill[] = [];
  for (const { name, kind } of entries?.entries ?? []) {
    if (kind !== "folder" || name.startsWith(".")) continue;
    const text = await skillText(folder, name);
    if (text !== undefined) found.push({ name, description: descriptionOf(text) });
    if (found.length === SKILLS_LISTED) break;
  }
  return found;
}

/** The text of a skill, or of a file beside it: `fix-a-bug`, `fix-a-bug/references/tests.md`. */
export async function skillText(folder: Reader, asked: string): Promise<string | undefined> {
  const path = asked.includes("/") ? asked : `${asked}/SKILL.md`;
  // Names that begin with a dot may hold keys.
  if (path.split("/").some((part) => part.startsWith("."))) return undefined;
  const file = await orAbsent(folder.read(`${SKILLS}/${path}`, { maxBytes: SKILL_BYTES }));
  return file && new TextDecoder().decode(file.bytes);
}

/** A link counts as absent, since its target lies anywhere, and so does what is no file. */
async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    const { code } = Failure.from(thrown);
    if (code === "internal" || code === "environment") throw thrown;
    return undefined;
  }
}

/** Without front matter that can be read, the first line stands for it: other programs list the skill too. */
function descriptionOf(text: string): string {
  const [, front, body = text] = /^---\r?\n(.*?)\r?\n---(?:\r?\n|$)(.*)/s.exec(text) ?? [];
  const said = front === undefined ? undefined : described(front);
  const first = body.split("\n").map((line) => line.replace(/^#{1,6} /, "").trim()).find(Boolean);
  const line = plainText(said ?? first ?? "").replaceAll(/\s+/g, " ").trim();
  return line.length <= DESCRIPTION_CHARS ? line : shortened(line, DESCRIPTION_CHARS - 1);
}

function described(front: string): string | undefined {
  try {
    return readYaml({ text: front, path: "SKILL.md" }, FrontMatter).description;
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return undefined;
  }
}
