/** Run with a proxy in the environment: asks a server on a loopback address, straight and by Deno's fetch. */
import { directFetch } from "svc/platform/direct_fetch.ts";

const hostname = Deno.args[0]!;
const server = Deno.serve(
  { hostname, port: 0, onListen() {} },
  (request) => new Response(request.headers.get("host")),
);
const host = hostname.includes(":") ? `[${hostname}]` : hostname;
const url = `http://${host}:${server.addr.port}/v1/models`;
{
  using direct = directFetch();
  for (const asked of [url, new URL(url)]) {
    const answer = await direct.fetch(asked);
    console.log(await answer.text() === new URL(url).host ? "straight" : "elsewhere");
  }
}
console.log(await fetch(url).then(() => "straight", () => "by proxy"));
await server.shutdown();
