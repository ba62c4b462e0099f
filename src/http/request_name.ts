/** The name of one act: asked again under the same name, it is done once. */
import { Failure } from "svc/core/failure.ts";

/** The field of a body. */
export const ONCE = "request";

const REQUEST = /^[\w-]{8,64}$/;

/** An empty one counts as left out. @throws Failure `usage` for what is no name */
export function requestIn(
  { request }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (request === undefined || request === "") return undefined;
  if (REQUEST.test(request)) return request;
  throw new Failure("usage", "Cannot carry it out: its request is not named by 8 to 64 letters", {
    remedy: "Give a UUID, or leave it out",
  });
}
