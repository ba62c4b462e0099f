/** A page that outlives an upgrade of svc loads itself again: its program knows the answers of the old one. */
import { hasDrafts } from "./drafts.ts";
import { session } from "./session.ts";
import { hasUnsaved } from "./unsaved.ts";

/** The entity tag of this program, as the browser has it or as the service does. Never throws. */
async function tagOf(how: RequestInit): Promise<string | null> {
  try {
    const answer = await fetch(import.meta.url, how);
    await answer.body?.cancel();
    // nginx makes the tag of what it compresses a weak one, and leaves that of HEAD as it is.
    return answer.ok ? answer.headers.get("etag")?.replace(/^W\//, "") ?? null : null;
  } catch {
    return null; // not kept, or no answer: nothing is known
  }
}

/** Another svc is another process, and each asks for the secret again. */
export async function startUpgrade(): Promise<void> {
  const own = await tagOf({ cache: "only-if-cached", mode: "same-origin" });
  if (own === null) return;
  let before = session.peek();
  session.subscribe(async (now) => {
    const back = now.kind === "in" && before.kind === "out" && before.because === "ended";
    before = now;
    if (!back) return;
    const served = await tagOf({ method: "HEAD", cache: "no-store" });
    if (served !== null && served !== own && !hasUnsaved() && !hasDrafts()) location.reload();
  });
}
