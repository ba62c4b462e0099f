/** `record_decision`: an architecture decision record in `docs/decisions`, in Michael Nygard's form. */
import { z } from "zod";
import { commitSubject } from "svc/core/commit_text.ts";
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { commitMessage } from "./commit_message.ts";
import { tool, type ToolSession } from "./tool.ts";

const FOLDER = "docs/decisions";
/** Sessions may take the same number at once. */
const TRIES = 5;

const text = (about: string) => z.string().trim().min(1).max(20_000).describe(about);
const args = () =>
  z.strictObject({
    title: z.string().trim().min(1).max(200).describe("What was decided, as a short phrase"),
    context: text("What made it necessary"),
    decision: text("What is done, and why not otherwise"),
    consequences: text("What gets easier, and what harder"),
    status: z.enum(["proposed", "accepted", "deprecated", "superseded"]).optional()
      .describe("Default accepted"),
  });
type DecisionArgs = z.infer<ReturnType<typeof args>>;

async function nextNumber(folder: Pick<Folder, "list" | "stat">): Promise<number> {
  if ((await folder.stat(FOLDER))?.kind !== "folder") return 1;
  const { entries, more } = await folder.list(FOLDER);
  if (more > 0) {
    throw new Failure("refused", `Cannot number a decision: ${FOLDER} has too many entries`);
  }
  return 1 + Math.max(0, ...entries.map(({ name }) => Number(/^(\d{1,6})\D/.exec(name)?.[1] ?? 0)));
}

/** A heading in a section must not pass for one of the record's own. */
const section = (title: string, words: string) =>
  `## ${title}\n\n${
    words.replaceAll(/\r\n?/g, "\n").trim().replaceAll(/^( {0,3})(#{1,2}\s)/gm, "$1\\$2")
  }\n`;

/** Such as `0003 Keep facts in SQLite`, redacted. */
function headOf(number: string, { redact }: ToolSession, { title }: DecisionArgs): string {
  return `${number} ${redact(title).replaceAll(/\s+/g, " ")}`;
}

function record(number: string, session: ToolSession, asked: DecisionArgs): string {
  const { redact, tree: { clock }, role, ticket } = session;
  const status = asked.status ?? "accepted";
  const day = rfc3339(clock.now()).slice(0, 10);
  const by = ticket === undefined ? role : `${role}, ${ticket}`;
  return [
    `# ${headOf(number, session, asked)}\n`,
    section("Status", `${status[0]!.toUpperCase()}${status.slice(1)}, ${day} (${by})`),
    section("Context", redact(asked.context)),
    section("Decision", redact(asked.decision)),
    section("Consequences", redact(asked.consequences)),
  ].join("\n");
}

interface DecisionFile {
  readonly path: string;
  readonly head: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function draft(session: ToolSession, asked: DecisionArgs): Promise<DecisionFile> {
  const number = String(await nextNumber(session.tree.folder)).padStart(4, "0");
  const slug = slugOf(session.redact(asked.title));
  const path = `${FOLDER}/${number}${slug === "" ? "" : `-${slug}`}.md`;
  const bytes = new TextEncoder().encode(record(number, session, asked));
  return { path, head: headOf(number, session, asked), bytes };
}

/** In a job's work tree the record is committed with the change. */
async function written(session: ToolSession, asked: DecisionArgs): Promise<DecisionFile> {
  const { folder } = session.tree;
  await folder.makeFolder(FOLDER);
  for (let tries = 1;; tries++) {
    const made = await draft(session, asked);
    try {
      await folder.write(made.path, made.bytes, { expected: null });
      return made;
    } catch (thrown) {
      // Another session took the number between the look and the write.
      const taken = thrown instanceof Failure && thrown.code === "conflict";
      if (!taken || tries >= TRIES) throw thrown;
    }
  }
}

/** In the user's checkout the record is a commit of its own. */
async function committed(
  session: ToolSession,
  asked: DecisionArgs,
  signal: AbortSignal,
): Promise<DecisionFile> {
  const { tree } = session;
  const { git, folder, commits } = tree;
  const doing = "record a decision";
  await commits.mustTakeCommits(git, doing);
  return await tree.locked(doing, async () => {
    const made = await draft(session, asked);
    const { path, head, bytes } = made;
    // The title, since the file's name may be a bare number.
    const message = commitMessage(commitSubject("docs(decisions)", head), session);
    await commits.commit(git, folder, { doing, message, changes: [{ path, bytes, before: null }] });
    return made;
  }, signal);
}

export const recordDecision = tool<DecisionArgs>({
  name: "record_decision",
  about: "Writes a decision and its reasons into docs/decisions, as a new file.",
  capability: "write",
  args,
  touches: () => ({ writes: [`${FOLDER}/NNNN.md`] }),
  async run(session, asked, { signal }) {
    const onCheckout = session.tree.root === session.repo.root;
    const { path, bytes } = onCheckout
      ? await committed(session, asked, signal)
      : await written(session, asked);
    const { size, mtimeMs, sha256 } = await session.tree.folder.read(path, {
      maxBytes: bytes.length,
    });
    session.seen.set(path, { size, mtimeMs, sha256 });
    const how = onCheckout ? "and committed it" : "";
    return { ok: true, text: `Recorded in ${path} ${how}`.trimEnd(), facts: { path } };
  },
});
