/** Hosts that a download may use: the origins of the files, the networks behind them, a user's mirror. */
import { isLoopbackHost } from "svc/core/loopback.ts";

/**
 * Hugging Face redirects to its LFS store and to Xet's, which has hosts by region and provider:
 * `cdn-lfs.hf.co`, `cas-bridge.xethub.hf.co`, `us.aws.cdn.hf.co`; GitHub to that of its release assets.
 */
const HOSTS = [
  /^huggingface\.co$/,
  /^cdn-lfs(?:-[a-z0-9-]+)?\.(?:huggingface\.co|hf\.co)$/,
  /^cas-bridge\.xethub\.hf\.co$/,
  /^(?:[a-z0-9-]+\.){0,3}cdn\.hf\.co$/,
  /^github\.com$/,
  /^(?:release-assets|objects)\.githubusercontent\.com$/,
];

/** Why a request may not go there; undefined where it may. */
export function refusedHost(text: string, mirror: string | undefined): string | undefined {
  const url = URL.parse(text);
  if (url === null) return "it is no URL";
  if (url.username !== "" || url.password !== "") return "it has a user name or password in it";
  if (mirror !== undefined && url.origin === new URL(mirror).origin) {
    const own = url.protocol === "https:" || isLoopbackHost(url.hostname);
    return own ? undefined : "it is not encrypted";
  }
  if (url.protocol !== "https:") return "it is not encrypted";
  if (url.port !== "" || !HOSTS.some((host) => host.test(url.hostname))) {
    return `"${url.host}" is none of the hosts that hold these files`;
  }
}
