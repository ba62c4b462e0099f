/** The zones and their texts, most urgent first. */
import type { Zone } from "svc/runtime/views/card.ts";

interface ZoneText {
  readonly zone: Zone;
  readonly name: string;
  readonly about: string;
  readonly none: string;
}

export const ZONE_TEXTS: readonly ZoneText[] = [
  {
    zone: "needs_you",
    name: "Needs you",
    about: "waits for a person",
    none: "Nothing waits for you.",
  },
  { zone: "failing", name: "Failing", about: "is broken", none: "Nothing is broken." },
  { zone: "waiting", name: "Waiting", about: "has its turn later", none: "Nothing waits." },
  { zone: "working", name: "Working", about: "runs now", none: "No job runs now." },
  {
    zone: "done",
    name: "Done",
    about: "in the last day",
    none: "Nothing was finished in the last day.",
  },
];
