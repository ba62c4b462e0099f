/** A Worker that parses one text, to show which permissions that takes. */
import { openParsers } from "svc/platform/tree_sitter.ts";

const scope = globalThis as unknown as {
  onmessage: (event: MessageEvent) => void;
  postMessage(message: unknown): void;
};
scope.onmessage = async ({ data }) => {
  const syntax = await (await openParsers(data)).parse("typescript", "function a() {}");
  const found = typeof syntax === "string" ? syntax : syntax.matches("(identifier) @name");
  scope.postMessage(found);
};
