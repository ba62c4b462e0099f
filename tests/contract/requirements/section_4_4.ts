/** Promises of spec section 4.4: the terminal controls. */
import type { Requirement } from "./requirement.ts";

export const SECTION_4_4 = [
  {
    id: "4.4:keys:pause-or-resume",
    section: "4.4",
    promise: "In an interactive `start` or `serve`, key `p` pauses, and resumes when paused.",
  },
  {
    id: "4.4:keys:warm-restart",
    section: "4.4",
    promise: "In an interactive `start` or `serve`, key `r` asks for a warm restart.",
  },
  {
    id: "4.4:keys:scan",
    section: "4.4",
    promise: "In an interactive `start` or `serve`, key `s` scans the registered repos.",
  },
  {
    id: "4.4:keys:graceful-stop",
    section: "4.4",
    promise: "In an interactive `start` or `serve`, key `q` stops gracefully, as Ctrl+C does.",
  },
  {
    id: "4.4:keys:help",
    section: "4.4",
    promise: "In an interactive `start` or `serve`, key `h` prints the key help.",
  },
] as const satisfies readonly Requirement[];
