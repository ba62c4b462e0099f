/** Where the clone of a registered URL lies on this machine. */
import { gitUrl } from "svc/core/git_url.ts";
import type { RemoteRepo } from "./remotes.ts";

/** @param clones folder of all clones; each has a folder of its own in it */
export const cloneRoot = (clones: string, { id, url }: Pick<RemoteRepo, "id" | "url">) =>
  `${clones}/${id}/${gitUrl(url).name}`;
