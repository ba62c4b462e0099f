/** Reads a role's texts from the registered checkout, or from what svc would scaffold. */
import { Failure } from "svc/core/failure.ts";
import { mustBeShowable } from "svc/features/tools/credential_files.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";

export type HarnessText = (path: string, maxBytes: number) => Promise<string | undefined>;

/**
 * Never reads a job's work tree, so that an agent cannot change its own instructions. All of these texts go to
 * a model, and whoever wrote the repo chose the paths, so files that no tool would show are refused here too.
 */
export function harnessIn(checkout: Checkout): HarnessText {
  return async (path, maxBytes) => {
    try {
      await mustBeShowable({ tree: checkout, seen: new Map() }, path);
      const { bytes } = await checkout.folder.read(path, { maxBytes });
      return new TextDecoder().decode(bytes);
    } catch (thrown) {
      if (Failure.from(thrown).code === "not_found") return undefined;
      throw thrown;
    }
  };
}

/** The `.harness` that `svc init` would write; any other file is that of the repo. */
export function harnessOf(
  files: readonly { readonly path: string; readonly text: string }[],
  checkout: Checkout,
): HarnessText {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const own = harnessIn(checkout);
  return (path, maxBytes) =>
    path.startsWith(".harness/") ? Promise.resolve(texts.get(path)) : own(path, maxBytes);
}
