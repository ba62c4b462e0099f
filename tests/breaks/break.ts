/** The shape of one break: a small fault that is put into the product to see whether its tests notice. */
import type { RequirementId } from "tests/contract/requirements.ts";

export interface Break {
  /** The promises that no longer hold; a test that cites each must go red. */
  readonly ids: readonly [RequirementId, ...RequirementId[]];
  /** File of the product, from the root of the checkout. */
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly find: string;
  /** What replaces it; the program still loads. */
  readonly put: string;
}
