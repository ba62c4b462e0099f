/** The names of zod that are used: all of it is twice as much to load, with messages in fifty languages. */
import { config } from "zod/whole";
import { en } from "zod/locales";

export {
  array,
  boolean,
  discriminatedUnion,
  enum,
  int,
  iso,
  literal,
  looseObject,
  NEVER,
  number,
  object,
  partialRecord,
  record,
  strictObject,
  string,
  toJSONSchema,
  union,
  unknown,
  url,
  ZodDefault,
  ZodObject,
  ZodOptional,
  ZodPrefault,
  ZodType,
} from "zod/whole";
export type { core, infer, RefinementCtx, ZodRawShape } from "zod/whole";

// What zod says of a wrong value; its own entry sets it in passing.
config(en());
