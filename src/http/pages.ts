/** Pages and their files: shells without data, which the API fills. */
import { answer, type HttpAnswer, RawContent, refusal } from "./answer.ts";
import { type PageAsset, sentAsset } from "./page_asset.ts";
import type { Head } from "./request_head.ts";
import type { HttpRoute } from "./route.ts";

/** @param path below `assets/dashboard/` */
export type PageAssets = (path: string) => PageAsset | undefined;

/** Spec section 4.2, and the pages of all tickets, of one job and of one ticket. */
export const PAGES = {
  pipeline: "Pipeline Flow",
  tickets: "Tickets",
  orchestration: "Orchestration",
  roles: "Role Health",
  throughput: "Throughput",
  debug: "Debug",
  evolution: "Evolution History",
  job: "Job",
  ticket: "Ticket",
  login: "Login",
} as const;

/** What the login page loads, since nobody could log in through the trusted origin otherwise. */
export const LOGIN_FILES = ["app.js", "app.css", "first.css", "favicon.svg"] as const;

const NOT_FOUND = refusal(404, "not found");

function bareShell(title: string): PageAsset {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · svc</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>This build of svc has no pages of its own; its API answers below <code>/api/</code>.</p>
</main>
</body>
</html>
`;
  return { bytes: html, type: "text/html; charset=utf-8" };
}

/** For a person who typed or followed a wrong address; a program gets the JSON of any failure. */
export function lostPage(
  assets: PageAssets,
  { method, path, headers }: Head,
): HttpAnswer | undefined {
  const asks = method === "GET" || method === "HEAD";
  // Browsers ask for a page with it first (Fetch, "document" destination), and for nothing else.
  const page = headers.get("accept")?.startsWith("text/html") === true;
  if (!asks || !page || path.startsWith("/api/")) return undefined;
  const asset = assets("lost.html");
  return asset && { status: 404, body: new RawContent(asset.type, asset.bytes) };
}

const route = (
  path: HttpRoute["path"],
  access: HttpRoute["access"],
  handle: HttpRoute["handle"],
): HttpRoute => ({
  method: "GET",
  path,
  access,
  body: { kind: "none" },
  handle,
});

export function pageRoutes(assets: PageAssets): readonly HttpRoute[] {
  const pages = Object.entries(PAGES).map(([name, title]) =>
    route(
      `/${name}`,
      name === "login" ? "open" : "local",
      ({ header }) =>
        sentAsset(assets(`${name}.html`) ?? assets("index.html") ?? bareShell(title), header),
    )
  );
  const toFirst = { ...answer(302, {}), headers: { location: "/pipeline" } };
  return [
    route("/", "local", () => Promise.resolve(toFirst)),
    ...pages,
    route("/assets/*", "local", async ({ path, header }) => {
      const name = path.slice("/assets/".length);
      const plain = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/.test(name);
      const asset = plain && !name.endsWith(".html") ? assets(name) : undefined;
      return asset === undefined ? NOT_FOUND : await sentAsset(asset, header);
    }),
    ...LOGIN_FILES.map((name) =>
      route(`/login/${name}`, "open", async ({ header }) => {
        const asset = assets(name);
        return asset === undefined ? NOT_FOUND : await sentAsset(asset, header);
      })
    ),
  ];
}
