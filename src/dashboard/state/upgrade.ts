/** A page that outlives an upgrade of svc loads itself again: its program knows the answers of the old one. */
import { hasDrafts } from "./drafts.ts";
import { connection } from "./events.ts";
import { hasUnsaved } from "./unsaved.ts";

/** The entity tag of this program as the service has it now. Never throws. */
async function servedTag(): Promise<string | null> {
  try {
    const answer = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" });
    return answer.ok ? answer.headers.get("etag") : null;
  } catch {
    return null; // no answer: nothing is known
  }
}

/**
 * Another svc is another process, and ends each stream. A page that was hidden meanwhile may find itself
 * logged in by another one, so that its next stream is all that it notices.
 */
export async function startUpgrade(): Promise<void> {
  const own = await servedTag();
  if (own === null) return;
  connection.subscribe(async ({ state }) => {
    if (state !== "live") return;
    const served = await servedTag();
    if (served !== null && served !== own && !hasUnsaved() && !hasDrafts()) location.reload();
  });
}
