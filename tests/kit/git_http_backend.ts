/** Git's own server of smart HTTP (git-http-backend(1)) behind a listener on loopback. */

/** Serves the bare repo `<root>/<owner>/<repo>.git`; CGI as RFC 3875 says. */
export async function gitHttpBackend(request: Request, root: string): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const child = new Deno.Command("git", {
    args: ["http-backend"],
    clearEnv: true,
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      REMOTE_USER: "ada",
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers.get("content-type") ?? "",
      GIT_PROTOCOL: request.headers.get("git-protocol") ?? "",
      HTTP_CONTENT_ENCODING: request.headers.get("content-encoding") ?? "",
    },
    ...{ stdin: "piped", stdout: "piped", stderr: "inherit" },
  }).spawn();
  const sent = new Uint8Array(await request.arrayBuffer());
  const fed = new Blob([sent]).stream().pipeTo(child.stdin).catch((thrown) => {
    // It may answer before it has read all.
    if (!(thrown instanceof Deno.errors.BrokenPipe)) throw thrown;
  });
  const [{ stdout }] = await Promise.all([child.output(), fed]);
  const text = new TextDecoder("latin1").decode(stdout);
  const end = text.indexOf("\r\n\r\n");
  const headers = text.slice(0, end).split("\r\n").map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const status = Number(headers.find(([name]) => name === "Status")?.[1].slice(0, 3) ?? "200");
  return new Response(stdout.slice(end + 4), { status, headers });
}
