/** What one operation of the dashboard's API declares, and the parts that declarations share. */
import { JSON_BODY_BYTES } from "svc/core/bounds.ts";
import type { QueryKind } from "svc/runtime/views/read.ts";
import type { AnswerShape, Z } from "svc/runtime/views/shape.ts";
import type { Access, BodyKind } from "./route.ts";

export interface ApiOperation {
  readonly access: Exclude<Access, "signed">;
  readonly about: string;
  readonly body?: Exclude<BodyKind, { kind: "raw" }>;
  readonly query?: QueryKind;
  readonly answer: AnswerShape | "text/markdown" | "text/event-stream";
  readonly missing?: string;
  /** What a 409 means, for operations that answer it. */
  readonly conflict?: string;
  /** The answer with 409, where it tells more than its text. */
  readonly conflictAnswer?: AnswerShape;
}

export const fields = (
  ...names: string[]
) => ({ kind: "fields", maxBytes: JSON_BODY_BYTES, names } as const);

/** @param optional they may be left out, or be empty */
export const fieldsAnd = (
  names: readonly string[],
  optional: readonly string[],
  maxBytes: number = JSON_BODY_BYTES,
) => ({ kind: "fields", maxBytes, names, optional } as const);

export const done = (z: Z) => z.strictObject({ ok: z.literal(true) });

export const control = (
  about: string,
  more: (z: Z) => Record<string, ReturnType<AnswerShape>> = () => ({}),
) =>
  ({
    access: "mutation",
    about,
    query: {},
    answer: (z: Z) => done(z).extend(more(z)),
  }) as const;
