/** Reads the paused lanes of a database without changing its file, for `doctor`. */
import { openToPeek, type WalState } from "svc/store/open.ts";
import type { LaneKind } from "./lane_table.ts";

interface PeekedLane {
  readonly kind: LaneKind;
  readonly key: string;
  readonly reason: string;
  /** Null when no job waits for the model. */
  readonly role: string | null;
  readonly repo: string | null;
}

const HELD = `SELECT lanes.kind, lanes.key, lanes.reason,
    iif(lanes.kind = 'role', substr(lanes.key, 14), waiting.role) AS role, repos.path AS repo
  FROM lanes
  LEFT JOIN jobs AS waiting ON waiting.id = (SELECT min(id) FROM jobs
    WHERE status = 'pending' AND lanes.kind = 'model' AND lane = lanes.key)
  LEFT JOIN repos ON repos.id = iif(lanes.kind = 'role', substr(lanes.key, 1, 12), waiting.repo_id)
  WHERE lanes.until IS NULL OR lanes.until > ?
  ORDER BY lanes.kind, lanes.key`;

/** Also empty when the file cannot be read or has another version. Never throws. */
export function peekLanes(path: string, at: WalState, now: number): readonly PeekedLane[] {
  try {
    using database = openToPeek(path, at);
    return database.prepare(HELD).all(now) as unknown as PeekedLane[];
  } catch {
    return []; // the look at the database itself says why
  }
}
