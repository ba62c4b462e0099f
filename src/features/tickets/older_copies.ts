/** Tells a ticket from copies of it in an earlier state, as a pull of a squashed branch or a revert brings them back. */
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { bodySections } from "./body_sections.ts";
import { isEvidenceHeading, ticketBody } from "./ticket_file.ts";
import { TICKET_BYTES, type TicketFile } from "./ticket_places.ts";

/** Files of one id that are compared; a person looks at more. */
const COPIES = 8;

interface CopyFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Each change of a ticket adds a line, and none takes one away. */
function evidenceIn(bytes: Uint8Array): readonly string[] {
  const body = ticketBody(bytes);
  const section = bodySections(body).findLast(({ heading }) => isEvidenceHeading(heading));
  if (section === undefined) return [];
  return body.slice(section.textFrom, section.to).split("\n")
    .map((line) => line.trimEnd()).filter((line) => line !== "");
}

function begins(longer: readonly string[], shorter: readonly string[]): boolean {
  return shorter.length > 0 && shorter.length < longer.length &&
    shorter.every((line, at) => line === longer[at]);
}

/** The one of which all others are earlier states; undefined where there is none. */
function newestCopy(files: readonly CopyFile[]): string | undefined {
  const read = files.map(({ path, bytes }) => ({ path, lines: evidenceIn(bytes) }));
  return read.find(({ path, lines }) =>
    read.every((other) => other.path === path || begins(lines, other.lines))
  )?.path;
}

/** Paths of files that are such copies, each with that of the ticket. @param found all files of the repo */
export async function olderCopies(
  folder: Pick<Folder, "read">,
  found: readonly TicketFile[],
): Promise<ReadonlyMap<string, string>> {
  const older = new Map<string, string>();
  const byId = Map.groupBy(found.filter(({ id }) => id !== undefined), ({ id }) => id!);
  for (const same of byId.values()) {
    const comparable = same.length > 1 && same.length <= COPIES &&
      same.every(({ state }) => state !== undefined);
    if (!comparable) continue;
    const files: CopyFile[] = [];
    for (const { path } of same) {
      const content = await folder.read(path, { maxBytes: TICKET_BYTES }).catch((thrown) => {
        // What cannot be read is reported as such, by whoever reads it.
        if (Failure.from(thrown).code === "internal") throw thrown;
        return undefined;
      });
      if (content !== undefined && !content.truncated) files.push({ path, bytes: content.bytes });
    }
    const newest = files.length === same.length ? newestCopy(files) : undefined;
    if (newest === undefined) continue;
    for (const { path } of same) if (path !== newest) older.set(path, newest);
  }
  return older;
}
