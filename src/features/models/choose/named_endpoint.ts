/** Reads the endpoint that a person names on the command line: their word, which no file of a repo has. */
import { Failure } from "svc/core/failure.ts";
import { type Endpoint, endpointOf } from "svc/features/models/client/endpoint.ts";
import type { Warning } from "./local_env.ts";

export const ENDPOINT_FLAG = "--model-endpoint";

interface NamedEndpoint {
  readonly endpoint: Endpoint;
  /** Behind `#`; "" for whatever the endpoint serves. */
  readonly model: string;
  readonly warnings: readonly Warning[];
}

/** Addresses that servers print when they listen on all of a machine's (RFC 1122, 3.2.1.3; RFC 4291, 2.5.2). */
const LISTENS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" };

function asReached(endpoint: Endpoint, flag: string): Endpoint {
  const url = new URL(endpoint.href);
  const here = LISTENS[url.hostname];
  if (here === undefined) return endpoint;
  url.hostname = here;
  return endpointOf(url.href, flag);
}

/** @throws Failure `usage` without the text, which may hold a key */
export function namedEndpoint(typed: string, flag: string = ENDPOINT_FLAG): NamedEndpoint {
  const [url = "", ...named] = typed.split("#");
  const asTyped = endpointOf(url, flag);
  const model = named.join("#").trim();
  if (/\p{C}/u.test(model)) {
    throw new Failure("usage", `Cannot use ${flag}: the model behind "#" is no name`, {
      remedy: "Give one such as http://127.0.0.1:11434/v1#qwen3-coder:30b",
    });
  }
  const endpoint = asReached(asTyped, flag);
  const warnings: Warning[] = [];
  if (endpoint !== asTyped) {
    warnings.push({
      text: `"${asTyped.origin}" is where a server listens; "${endpoint.origin}" is asked`,
      remedy: `Give ${endpoint.href}`,
    });
  }
  if (!endpoint.loopback && !endpoint.origin.startsWith("https:")) {
    warnings.push({
      text: `everybody between here and "${endpoint.origin}" can read and change what is sent: ` +
        "it is not encrypted, and gets no key",
      remedy: "Use https where you do not trust the network",
    });
  }
  return { endpoint, model, warnings };
}
