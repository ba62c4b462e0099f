/** A route is a declaration; the gate alone decides whether its handler is reached. */
import type { Answer } from "./answer.ts";

/**
 * `open`: anybody on this machine. `signed`: another service, that proves itself by a signature of the
 * body; no browser. `session`: whoever logged in. `mutation`: such a person, who means it.
 */
export type Access = "open" | "signed" | "session" | "mutation";

/** `none`: a body is refused. `raw`: bytes of `application/json`, unread. */
export type BodyKind = { readonly kind: "none" } | {
  readonly kind: "raw";
  readonly maxBytes: number;
};

export interface Call {
  /** Empty where the route takes none. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The header's value; null when it is absent. */
  header(name: string): string | null;
}

export interface Route {
  readonly method: "GET" | "POST";
  /** Compared as it is: no patterns, no case, no escapes. */
  readonly path: `/${string}`;
  readonly access: Access;
  readonly body: BodyKind;
  /** Why it cannot be served now, such as a secret that is not set; asked before the body is read. */
  needs?(): Answer | undefined;
  /** What it throws is logged, and answered by 500. */
  handle(call: Call): Promise<Answer>;
}
