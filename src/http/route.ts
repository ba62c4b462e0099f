/** The declaration of a route; the gate alone decides whether its handler runs. */
import type { QueryKind } from "svc/runtime/views/read.ts";
import type { HttpAnswer } from "./answer.ts";

/**
 * `local`: open, but through the trusted origin a session is needed. `signed`: the body is signed;
 * no browser. `session`: a person logged in; `mutation`: with a CSRF token.
 */
export type Access = "open" | "local" | "signed" | "session" | "mutation";

/**
 * `raw`: JSON bytes, not parsed; with `forms` a form's too. `fields`: an object of texts with all of `names`,
 * none empty, any of `optional`, which may be empty, and nothing else.
 */
export type BodyKind =
  | { readonly kind: "none" }
  | { readonly kind: "raw"; readonly maxBytes: number; readonly forms?: boolean }
  | {
    readonly kind: "fields";
    readonly maxBytes: number;
    readonly names: readonly string[];
    readonly optional?: readonly string[];
  };

export interface RouteCall {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly fields: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Checked against the listener's own. */
  readonly host: string;
  readonly path: string;
  header(name: string): string | null;
}

export interface HttpRoute {
  /** What answers GET answers HEAD as well, after the same checks. */
  readonly method: "GET" | "POST";
  /** A path that ends in "/*" matches everything below it. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly body: BodyKind;
  /** Without it the query of the address is ignored. */
  readonly query?: QueryKind;
  /** The refusal while it cannot be served, or for what the head alone tells; called before the body is read. */
  needs?(header: RouteCall["header"]): HttpAnswer | undefined;
  handle(call: RouteCall): Promise<HttpAnswer>;
  /** The answer where it is known already, without a wait; undefined leaves it to `handle`. */
  known?(call: RouteCall): HttpAnswer | undefined;
  /** Answers HEAD where the answer to GET would begin something. */
  head?(call: RouteCall): Promise<HttpAnswer>;
}

export type RouteHandler = Pick<HttpRoute, "handle" | "known" | "needs" | "head">;
