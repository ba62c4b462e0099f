/** Which tickets `eject` removes: those that svc made, that nobody edited and that git remembers. */
import { FILE_READ_BYTES } from "svc/core/bounds.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Draft } from "./draft.ts";

const TICKETS = "docs/tickets";
const NAME = /^T-\d+.*\.md$/;
/** svc's own commits to tickets (docs/decisions/0006). */
const OWN_COMMIT = /^chore\(tickets\): /;
/** Front matter of a ticket that no person wrote. */
const OWN_SOURCE = /^source:\s*["']?(?:scan|telemetry|scores|agent|webhook)\b/m;

/** Undefined when svc alone made the file what it is, and git can give it back. */
async function whyKept(draft: Draft, repo: GitRepo, path: string): Promise<string | undefined> {
  const { bytes } = await draft.ground.folder.read(path, { maxBytes: FILE_READ_BYTES });
  const front = new TextDecoder().decode(bytes).split(/^---\s*$/m)[1] ?? "";
  if (!OWN_SOURCE.test(front)) return "a person wrote this ticket";
  const commits = await repo.log({ paths: [path] });
  if (commits.length === 0) return "git does not have it yet";
  return commits.every(({ subject }) => OWN_COMMIT.test(subject))
    ? undefined
    : "somebody edited it since";
}

export async function removeTickets(draft: Draft, repo: GitRepo): Promise<void> {
  const { folder } = draft.ground;
  if ((await folder.stat(TICKETS))?.kind !== "folder") return;
  const changed = new Set((await repo.status()).changes.map(({ path }) => path));
  for (const state of (await folder.list(TICKETS)).entries) {
    if (state.kind !== "folder") continue;
    for (const { name, kind } of (await folder.list(`${TICKETS}/${state.name}`)).entries) {
      if (kind !== "file" || !NAME.test(name)) continue;
      const path = `${TICKETS}/${state.name}/${name}`;
      const why = changed.has(path)
        ? "it has changes that are not committed"
        : await whyKept(draft, repo, path);
      const now = why === undefined ? await draft.plain(path) : undefined;
      if (now !== undefined) draft.remove(path, now);
      else draft.keep(path, why ?? "it is gone meanwhile");
    }
  }
}
