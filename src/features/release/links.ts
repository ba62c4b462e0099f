/** The pages that release notes link to, at the code host that `origin` names. */
import { codeHostPages } from "svc/features/access/code_host_access.ts";
import { placeOfUrl } from "svc/features/repos/remote_place.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { NO_LINKS, type ReleaseLinks } from "./entry.ts";

/** Nothing is asked of the host: its kind is known by name, or by `code_hosts` of the user's config. */
export async function releaseLinks(
  git: Pick<GitRepo, "configGet">,
  settings: Parameters<typeof codeHostPages>[0],
): Promise<ReleaseLinks> {
  const place = placeOfUrl(await git.configGet("remote.origin.url") ?? "");
  const pages = place && await codeHostPages(settings, place.host);
  if (place === undefined || pages === undefined) return NO_LINKS;
  const { remote } = place;
  return {
    commit: (id) => pages.commitUrl(remote, id),
    issue: (number, other) => pages.issueUrl(other ?? remote, number),
    compare: (from, to) => pages.compareUrl(remote, from, to),
  };
}
