/** A route is a declaration; the gate alone decides whether its handler is reached. */
import type { QueryKind } from "svc/runtime/views/read.ts";
import type { Answer } from "./answer.ts";

/**
 * `open`: anybody on this machine. `local`: the same, but through the trusted origin only whoever
 * logged in. `signed`: another service, that proves itself by a signature of the body; no browser.
 * `session`: whoever logged in. `mutation`: such a person, who means it.
 */
export type Access = "open" | "local" | "signed" | "session" | "mutation";

/**
 * `none`: a body is refused. `raw`: bytes of `application/json`, unread. `fields`: a JSON object with
 * exactly these names, each a text that is not empty.
 */
export type BodyKind =
  | { readonly kind: "none" }
  | { readonly kind: "raw"; readonly maxBytes: number }
  | { readonly kind: "fields"; readonly maxBytes: number; readonly names: readonly string[] };

export interface Call {
  /** Empty where the route takes none. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Of a body of kind `fields`: each name that the route declares. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of a route that declares its query; decoded. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The value of `Host`, which is one of the listener's own. */
  readonly host: string;
  readonly path: string;
  /** The header's value; null when it is absent. */
  header(name: string): string | null;
}

export interface Route {
  readonly method: "GET" | "POST";
  /** Compared as it is: no case, no escapes. One that ends in "/*" stands for all below it. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly body: BodyKind;
  /** Where it is not declared, whatever the address says after "?" is not looked at. */
  readonly query?: QueryKind;
  /** Why it cannot be served now, such as a secret that is not set; asked before the body is read. */
  needs?(): Answer | undefined;
  /** What it throws is logged, and answered by 500. */
  handle(call: Call): Promise<Answer>;
}

/** How a route is served, without its declaration. */
export type Served = Pick<Route, "handle" | "needs">;
