/** URLs that git clones from (git-clone(1), GIT URLS), as a person types them. */
import { Failure } from "./failure.ts";
import { isLoopbackHost } from "./loopback.ts";
import { nameOf } from "./path_parts.ts";
import { quoted } from "./repo_path.ts";
import { withoutEnding } from "./text_ends.ts";

/** As GIT_ALLOW_PROTOCOL takes it (git(1)). */
export type GitProtocol = "file" | "git" | "http" | "https" | "ssh";

export interface GitUrl {
  /** Without a name and a password, but for the user of ssh, which is no secret. */
  readonly url: string;
  readonly protocol: GitProtocol;
  /** The folder that it is cloned to, such as `app`. */
  readonly name: string;
}

const CREDENTIALS = "it holds a name or a password";
const NO_LOGIN = "Leave it out: svc asks your git credential helper, and ssh its agent and keys";

function refuse(text: string, why: string, remedy = "svc register --url https://host/owner/repo") {
  return new Failure("usage", `Cannot use the git URL ${quoted(text)}: ${why}`, { remedy });
}

/** `user@host:path`: ssh without a scheme. A path that begins with "/" has no colon before it. */
const SCP = /^(?:([\w.-]+)@)?([A-Za-z0-9][\w.-]*|\[[0-9a-fA-F:]+\]):(?!\/\/)(.+)$/;

/** A name would end the program's options, or name another host (CVE-2017-1000117). */
const HOST = /^(?:[A-Za-z0-9](?:[\w.-]*\w)?|\[[0-9a-fA-F:.]+\])$/;

function protocolIn(text: string): GitProtocol {
  if (text.startsWith("/")) return "file";
  const parsed = /^[a-z+]+:\/\//.test(text) ? URL.parse(text) : null;
  if (parsed === null) {
    const [, , host, path = ""] = SCP.exec(text) ?? [];
    if (host === undefined) throw refuse(text, "it is neither a URL nor an absolute path");
    if (/^[^/]*@/.test(path)) throw refuse(`…@${path.replace(/^.*@/, "")}`, CREDENTIALS, NO_LOGIN);
    return "ssh";
  }
  const { protocol, hostname, pathname, username, password, search, hash } = parsed;
  const named = username !== "" && protocol !== "ssh:";
  if (password !== "" || named) {
    throw refuse(`${protocol}//…@${hostname}${pathname}`, CREDENTIALS, NO_LOGIN);
  }
  if (search !== "" || hash !== "") throw refuse(text, 'it holds "?" or "#"');
  if (protocol === "file:") return "file";
  if (!HOST.test(hostname)) throw refuse(text, "it names no host");
  if (pathname.length < 2) throw refuse(text, "it names no repo");
  if (protocol === "https:" || protocol === "ssh:" || protocol === "git:") {
    return protocol.slice(0, -1) as GitProtocol;
  }
  if (protocol === "http:" && isLoopbackHost(hostname)) return "http";
  throw refuse(text, `${protocol}// is not used; https, ssh, git and paths are`);
}

/** @throws Failure `usage`; never with a password in its text */
export function gitUrl(text: string): GitUrl {
  const url = withoutEnding(text, "/");
  // deno-lint-ignore no-control-regex -- control bytes are what is refused here
  if (/[\x00-\x20\x7f]/.test(url)) throw refuse(text, "it holds a space or a control character");
  if (url === "" || url.startsWith("-")) throw refuse(text, "it is no URL");
  if (/^\w+::/.test(url)) throw refuse(text, "it names a transport program");
  const protocol = protocolIn(url);
  const path = SCP.test(url) && !url.includes("://") ? url.slice(url.indexOf(":") + 1) : url;
  const last = nameOf(path).replace(/\.git$/, "").replaceAll(/[^\w.-]/g, "-");
  return { url, protocol, name: /^\w/.test(last) ? last : "repo" };
}

/** The path on this machine that a URL is, with or without `file://`; undefined for others. */
export function urlPath(url: string): string | undefined {
  if (url.startsWith("/")) return url;
  const [, path] = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(url) ?? [];
  try {
    return path && decodeURIComponent(path);
  } catch {
    return path; // git takes what is not encoded as it stands
  }
}
