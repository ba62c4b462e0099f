/** An action that settles a card, as data for the page and for `svc inbox`. */
import type { ShapeOf, Z } from "./shape.ts";

export const actionShape = (z: Z) =>
  z.strictObject({
    /** Unique on its card. */
    id: z.string(),
    label: z.string(),
    /** What follows from it. */
    about: z.string(),
    /** Name of the POST below `/api/`; null for what a person does elsewhere. */
    operation: z.string().nullable(),
    given: z.record(z.string(), z.string()),
    /** Fields that the person fills in. */
    asks: z.array(z.strictObject({
      field: z.string(),
      label: z.string(),
      needed: z.boolean(),
      /** Empty for a text. */
      choices: z.array(z.string()),
    })),
    /** How it is taken back; null where nothing is decided. */
    undo: z.string().nullable(),
    /** The diff is shown with it, and the operation names the commit that was seen. */
    review: z.boolean(),
    /** Does the same in a terminal, in the repo's folder. */
    command: z.string().nullable(),
    /** It takes a `request`: asked twice, it is done once. */
    once: z.boolean(),
    /** A page elsewhere. */
    href: z.string().nullable(),
  });
export type InboxAction = ShapeOf<typeof actionShape>;
