/** Pages and their files: shells that hold nothing of anybody's; the API fills them. */
import { type Answer, answer, Content, refusal } from "./answer.ts";
import type { Route } from "./route.ts";

export interface Asset {
  readonly bytes: string | Uint8Array<ArrayBuffer>;
  /** Media type, with its parameters. */
  readonly type: string;
}

/** @param path below `assets/dashboard/`, such as "app.js" or "pipeline.html" */
export type Assets = (path: string) => Asset | undefined;

/** Spec section 4.2, and the pages of one job and of one ticket. */
export const PAGES = {
  pipeline: "Pipeline Flow",
  orchestration: "Orchestration",
  roles: "Role Health",
  throughput: "Throughput",
  debug: "Debug",
  evolution: "Evolution History",
  job: "Job",
  ticket: "Ticket",
  login: "Login",
} as const;

/** Looked at again each time: an update must not meet the pages of the version before. */
const FRESH = { "cache-control": "no-cache" };
const NOT_FOUND = refusal(404, "not found");

/** What a page is while no page of its own is built in. */
function bareShell(title: string): Asset {
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

function sent({ bytes, type }: Asset): Answer {
  return { ...answer(200, new Content(type, bytes)), headers: FRESH };
}

const route = (path: Route["path"], access: Route["access"], handle: Route["handle"]): Route => ({
  method: "GET",
  path,
  access,
  body: { kind: "none" },
  handle,
});

/** One file a page, or `index.html` for all of them. */
export function pageRoutes(assets: Assets): readonly Route[] {
  const pages = Object.entries(PAGES).map(([name, title]) =>
    route(
      `/${name}`,
      name === "login" ? "open" : "local",
      () => {
        const shell = assets(`${name}.html`) ?? assets("index.html") ?? bareShell(title);
        return Promise.resolve(sent(shell));
      },
    )
  );
  const toFirst = { ...answer(302, {}), headers: { location: "/pipeline" } };
  return [
    route("/", "local", () => Promise.resolve(toFirst)),
    ...pages,
    route("/assets/*", "open", ({ path }) => {
      const name = path.slice("/assets/".length);
      const plain = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/.test(name);
      const asset = plain && !name.endsWith(".html") ? assets(name) : undefined;
      return Promise.resolve(asset === undefined ? NOT_FOUND : sent(asset));
    }),
  ];
}
