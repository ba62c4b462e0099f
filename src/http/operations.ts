/** Makes routes of the API's operations and of what serves them. */
import { type Operation, type OperationName, OPERATIONS } from "./api.ts";
import type { Route } from "./route.ts";

export type Served = Pick<Route, "needs" | "handle">;

const NO_BODY = { kind: "none" } as const;

/** @param served one of each, or the compiler says which is missing */
export function apiRoutes(served: Readonly<Record<OperationName, Served>>): readonly Route[] {
  const named = Object.entries(OPERATIONS) as [OperationName, Operation][];
  return named.map(([name, { access, body = NO_BODY, query = {} }]) => {
    const [method, path] = name.split(" ") as [Route["method"], Route["path"]];
    return { method, path, access, body, query, ...served[name] };
  });
}
