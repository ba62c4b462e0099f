/** Only the names that are used: all of zod, with fifty languages, takes twice as long to load. */
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

// Zod's messages about wrong values; its own entry point sets them implicitly. Without `jitless` it writes and compiles a
// function for each shape at its first value: 50 ms of a run's processor time, to save 0.1 to 0.5 us a value later.
config({ ...en(), jitless: true });
