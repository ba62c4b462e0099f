/**
 * Requests to this machine's own servers go straight to them. Deno sends them too through the proxy that
 * HTTP_PROXY names unless NO_PROXY lists their host: prompts and keys would leave the machine, and a
 * proxy is asked in absolute form, which servers that route on the raw target answer with 404.
 */

/** Literal loopback, and the name that RFC 6761 section 6.3 keeps for it. */
const LOOPBACK = ["127.0.0.0/8", "::1", "localhost", ".localhost"];

/**
 * Adds loopback to NO_PROXY. It counts for every fetch of this process whose client is made later, so call
 * it before the first one. Child processes get an allow-list of the environment, which this is not on.
 */
export function keepLoopbackOffProxies(): void {
  // Deno reads the lower-case name only where the other is absent.
  const listed = Deno.env.get("NO_PROXY") ?? Deno.env.get("no_proxy") ?? "";
  Deno.env.set("NO_PROXY", [...(listed === "" ? [] : [listed]), ...LOOPBACK].join(","));
}
