/** A remote in the form `owner/repo` (spec section 2.2). */
import { Failure } from "svc/core/failure.ts";

const FORM = /^(?!-)[A-Za-z0-9_.-]+\/(?!\.{1,2}$)[A-Za-z0-9_.-]+$/;

/**
 * The last two parts of a git URL, `ssh://`, `https://` or `git@host:`; undefined for a path, or a
 * URL with more or fewer parts. Credentials in it are not looked at.
 */
export function remoteOfUrl(url: string): string | undefined {
  const path = url.match(/^(?:https?|ssh|git):\/\/[^/]+\/(.+)$/)?.[1] ??
    url.match(/^[\w.-]+@[\w.-]+:(?!\/)(.+)$/)?.[1];
  const remote = path?.replace(/\/+$/, "").replace(/\.git$/, "");
  return remote !== undefined && FORM.test(remote) ? remote : undefined;
}

/** @throws Failure `usage` */
export function checkedRemote(text: string): string {
  if (FORM.test(text) && !text.endsWith(".git")) return text;
  const meant = remoteOfUrl(text) ?? (FORM.test(text) ? text.replace(/\.git$/, "") : "owner/repo");
  throw new Failure(
    "usage",
    `Cannot use the remote ${JSON.stringify(text)}: it is not of the form "owner/repo"`,
    { remedy: `svc register --remote ${meant}` },
  );
}
