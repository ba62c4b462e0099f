/** `record_decision`: an architecture decision record in `docs/decisions`, in Michael Nygard's form. */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import { slugOf } from "svc/features/tickets/ticket_draft.ts";
import type { Folder } from "svc/platform/folder.ts";
import { tool, type Workplace } from "./tool.ts";

const FOLDER = "docs/decisions";
/** Tries to get a number that nobody takes meanwhile. */
const TRIES = 5;

const text = (about: string) => z.string().trim().min(1).max(20_000).describe(about);
const args = z.strictObject({
  title: z.string().trim().min(1).max(200).describe("What was decided, as a short phrase"),
  context: text("What made it necessary"),
  decision: text("What is done, and why not otherwise"),
  consequences: text("What gets easier, and what harder"),
  status: z.enum(["proposed", "accepted", "deprecated", "superseded"]).optional()
    .describe("Default accepted"),
});
type Args = z.infer<typeof args>;

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

function record(number: string, { redact, clock, role, ticket }: Workplace, asked: Args): string {
  const flat = (line: string) => redact(line).replaceAll(/\s+/g, " ");
  const status = asked.status ?? "accepted";
  const day = rfc3339(clock.now()).slice(0, 10);
  const by = ticket === undefined ? role : `${role}, ${ticket}`;
  return [
    `# ${number} ${flat(asked.title)}\n`,
    section("Status", `${status[0]!.toUpperCase()}${status.slice(1)}, ${day} (${by})`),
    section("Context", redact(asked.context)),
    section("Decision", redact(asked.decision)),
    section("Consequences", redact(asked.consequences)),
  ].join("\n");
}

export const recordDecision = tool<Args>({
  name: "record_decision",
  about: "Writes a decision and its reasons into docs/decisions, as a new file.",
  capability: "write",
  args,
  touches: () => ({ writes: [`${FOLDER}/NNNN.md`] }),
  async run(place, asked) {
    const { folder } = place;
    await folder.makeFolder(FOLDER);
    for (let tries = 1;; tries++) {
      const number = String(await nextNumber(folder)).padStart(4, "0");
      const slug = slugOf(asked.title);
      const path = `${FOLDER}/${number}${slug === "" ? "" : `-${slug}`}.md`;
      const bytes = new TextEncoder().encode(record(number, place, asked));
      try {
        await folder.write(path, bytes, { expected: null });
      } catch (thrown) {
        // Another session took the number between the look and the write.
        const taken = thrown instanceof Failure && thrown.code === "conflict";
        if (taken && tries < TRIES) continue;
        throw thrown;
      }
      const { size, mtimeMs, sha256 } = await folder.read(path, { maxBytes: bytes.length });
      place.seen.set(path, { size, mtimeMs, sha256 });
      return { ok: true, text: `Recorded in ${path}`, facts: { path } };
    }
  },
});
