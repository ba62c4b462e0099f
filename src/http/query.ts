/** The query of an address, read strictly. */
import type { QueryKind } from "svc/runtime/views/read.ts";
import type { RouteCall } from "./route.ts";

/** As `application/x-www-form-urlencoded` (WHATWG URL); undefined for a broken escape. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined; // as said above
  }
}

/** Undefined when a parameter is unknown, empty, repeated or missing. */
export function takenQuery(
  query: string,
  kind: QueryKind | undefined,
): RouteCall["query"] | undefined {
  const taken: Record<string, string> = {};
  if (kind === undefined) return taken;
  for (const pair of query === "" ? [] : query.split("&")) {
    const equals = pair.indexOf("=");
    const name = pair.slice(0, equals);
    const value = decoded(pair.slice(equals + 1));
    if (equals < 1 || !Object.hasOwn(kind, name) || Object.hasOwn(taken, name) || !value) {
      return undefined;
    }
    taken[name] = value;
  }
  const fits = Object.entries(kind).every(([name, how]) => {
    const value = Object.hasOwn(taken, name) ? taken[name] : undefined;
    if (value === undefined) return how !== "needed";
    return typeof how === "string" || how.includes(value);
  });
  return fits ? taken : undefined;
}

export function queryOf(kind: QueryKind): string {
  const names = Object.entries(kind).map(([name, how]) => `"${name}" (${queryRule(how)})`);
  return names.length === 0
    ? "the address takes no query"
    : `the query takes ${names.join(", ")}, each at most once and not empty, and nothing else`;
}

export function queryRule(how: QueryKind[string]): string {
  return typeof how === "string" ? how : `one of ${how.join(", ")}`;
}
