/** Promises of spec section 9: versioning. */
import type { Requirement } from "./requirement.ts";

export const SECTION_9 = [
  {
    id: "9:version:command-and-flag",
    section: "9",
    promise: "`svc version` and `svc -v` print the installed version.",
  },
  {
    id: "9:update-tool:version-values",
    section: "9",
    promise:
      "`update tool --version` accepts `latest`, `vX.Y.Z` or `main` and refuses any other value.",
  },
  {
    id: "9:telemetry:v1-path",
    section: "9",
    promise: "The telemetry upload path carries the prefix `/v1/`.",
  },
] as const satisfies readonly Requirement[];
