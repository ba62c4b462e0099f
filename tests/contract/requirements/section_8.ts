/** Promises of spec section 8: limits that no other section states. */
import type { Requirement } from "./requirement.ts";

export const SECTION_8 = [
  {
    id: "8:control-secret:at-least-32-bytes",
    section: "8",
    promise: "A control secret of 31 bytes is refused and one of 32 bytes is accepted.",
  },
  {
    id: "8:stream:replay-bounded",
    section: "8",
    promise: "The replay of the events stream is bounded.",
  },
  {
    id: "8:stream:event-size-bounded",
    section: "8",
    promise: "The size of one streamed event is bounded.",
  },
  {
    id: "8:stream:client-count-bounded",
    section: "8",
    promise: "The number of events-stream clients is bounded.",
  },
  {
    id: "8:stream:connections-per-session-bounded",
    section: "8",
    promise: "The number of events-stream connections of one session is bounded.",
  },
] as const satisfies readonly Requirement[];
