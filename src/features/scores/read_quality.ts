/** Reads one repo and its outcomes for the quality score. */
import { SCORE_WINDOW_DAYS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { type ByteText, byteText } from "svc/core/marked_block.ts";
import { findingsOf } from "svc/features/scanner/findings.ts";
import type { ScannedRepo } from "svc/features/scanner/rule.ts";
import { RULES } from "svc/features/scanner/rules/all.ts";
import { lookAt, type ScanPorts } from "svc/features/scanner/scan.ts";
import type { FileContent, Folder } from "svc/platform/files/folder.ts";
import type { Db } from "svc/store/schema.ts";
import { gradesOf } from "./grades.ts";
import { NO_NOTES, notesIn } from "./manual_notes.ts";
import type { Quality } from "./quality_page.ts";
import { readScores } from "./read_scores.ts";

const QUALITY_FILE_BYTES = 1024 * 1024;

export const QUALITY_PATH = "docs/QUALITY_SCORE.md";

/** The page must not grade itself. */
function withoutPage(scanned: ScannedRepo): ScannedRepo {
  const files = new Map(scanned.files);
  files.delete(QUALITY_PATH);
  return { ...scanned, files, has: (path) => path === QUALITY_PATH || scanned.has(path) };
}

interface QualityRequest {
  readonly db: Db | undefined;
  readonly repoId: string;
  readonly roles: readonly string[];
  readonly days?: number;
}

export async function readQuality(ports: ScanPorts, asked: QualityRequest): Promise<Quality> {
  const { db, repoId, roles, days = SCORE_WINDOW_DAYS } = asked;
  const now = ports.clock.now();
  const scanned = withoutPage((await lookAt(ports)).scanned);
  const areas = gradesOf(scanned, findingsOf(RULES, scanned));
  const scores = db === undefined
    ? []
    : (await readScores(db, { repoId, roles, now, days })).scores;
  return { scores, days, areas };
}

export interface OldPage {
  readonly content: FileContent | undefined;
  readonly notes: ByteText;
}

/** @throws Failure `conflict` for a page whose notes cannot be found, or that is too large */
export async function oldPage(folder: Pick<Folder, "read">): Promise<OldPage> {
  let content: FileContent;
  try {
    content = await folder.read(QUALITY_PATH, { maxBytes: QUALITY_FILE_BYTES });
  } catch (thrown) {
    if (Failure.from(thrown).code !== "not_found") throw thrown;
    return { content: undefined, notes: NO_NOTES };
  }
  if (content.truncated) {
    const most = `it has more than ${QUALITY_FILE_BYTES} bytes`;
    throw new Failure("conflict", `Cannot write "${QUALITY_PATH}": ${most}`, {
      remedy: "Move what is long in its notes to a page of its own",
    });
  }
  return { content, notes: notesIn(byteText(content.bytes), QUALITY_PATH) };
}
