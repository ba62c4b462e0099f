/** The declaration of a route; the gate alone decides whether its handler runs. */
import type { QueryKind } from "svc/runtime/views/read.ts";
import type { HttpAnswer } from "./answer.ts";

/**
 * `open`: anybody on this machine. `local`: the same, but a session is needed through the trusted
 * origin. `signed`: another service that signs the body; no browser. `session`: a person who is logged
 * in. `mutation`: such a person, with a CSRF token.
 */
export type Access = "open" | "local" | "signed" | "session" | "mutation";

/**
 * `none`: a body is refused. `raw`: bytes of `application/json`, not parsed. `fields`: a JSON object
 * with exactly these names, each a non-empty string.
 */
export type BodyKind =
  | { readonly kind: "none" }
  | { readonly kind: "raw"; readonly maxBytes: number }
  | { readonly kind: "fields"; readonly maxBytes: number; readonly names: readonly string[] };

export interface RouteCall {
  /** Empty unless the body is of kind `raw`. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly fields: Readonly<Record<string, string>>;
  /** Decoded parameters that the route declares. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The value of `Host`, checked against the listener's own. */
  readonly host: string;
  readonly path: string;
  header(name: string): string | null;
}

export interface HttpRoute {
  readonly method: "GET" | "POST";
  /** Compared literally; a path that ends in "/*" matches everything below it. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly body: BodyKind;
  /** Without it the query of the address is ignored. */
  readonly query?: QueryKind;
  /** The refusal while it cannot be served, such as without a secret; called before the body is read. */
  needs?(): HttpAnswer | undefined;
  /** Errors are logged and answered by 500. */
  handle(call: RouteCall): Promise<HttpAnswer>;
}

export type RouteHandler = Pick<HttpRoute, "handle" | "needs">;
