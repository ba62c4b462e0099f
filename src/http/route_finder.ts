/** Finds the route of a request: path first, then method. */
import { type Answer, refusal } from "./answer.ts";
import type { Head } from "./request_head.ts";
import type { Route } from "./route.ts";

export interface RouteFinder {
  /** The route, or the answer that none is there: 404, or 405 with `Allow`. */
  find(head: Pick<Head, "method" | "path">): Route | Answer;
}

const NOWHERE = refusal(404, "not found");

function notAllowed(routes: readonly Route[]): Answer {
  const allow = [...new Set(routes.map(({ method }) => method))].join(", ");
  return refusal(405, "method not allowed", { allow });
}

export function routeFinder(routes: readonly Route[]): RouteFinder {
  const exact = new Map<string, Route[]>();
  for (const route of routes) exact.set(route.path, [...exact.get(route.path) ?? [], route]);
  const below = [...exact].filter(([path]) => path.endsWith("/*"))
    .map(([path, here]) => ({ folder: path.slice(0, -1), here }));
  const methods = new Set<string>(routes.map(({ method }) => method));
  return {
    find({ method, path }) {
      const here = exact.get(path) ?? below.find(({ folder }) => path.startsWith(folder))?.here;
      // A method that no route has is refused wherever it goes.
      if (here === undefined) return methods.has(method) ? NOWHERE : notAllowed(routes);
      return here.find((route) => route.method === method) ?? notAllowed(here);
    },
  };
}
