/** Every rule, worst first within its family. */
import type { FileRule, ScanRule } from "svc/features/scanner/rule.ts";
import { ciActionMoving, ciMissing, ciUntrustedCheckout, ciWithoutTests } from "./ci.ts";
import {
  dependencyOpen,
  lockfileDrift,
  lockfileMissing,
  lockfilesRival,
  versionDrift,
} from "./dependencies.ts";
import {
  docsAnchorBroken,
  docsDead,
  docsLinkBroken,
  docsPathGone,
  docsyncMissing,
} from "./docs.ts";
import { environmentUndocumented } from "./environment.ts";
import { agentsMissing, agentsStale, licenceMissing, readmeMissing } from "./guidance.ts";
import {
  guardrailGap,
  harnessOutdated,
  manifestDrift,
  manifestInvalid,
  rolePromptUnused,
} from "./harness.ts";
import {
  caseClash,
  conflictMarkers,
  debuggerLeft,
  environmentTracked,
  imageUnpinned,
  junkTracked,
  todoOld,
} from "./hygiene.ts";
import { secret } from "./secrets.ts";
import { fileHuge, fileOversize, functionOversize } from "./size.ts";
import { hotUntested, testFocused, testsMissing } from "./tests.ts";
import { ticketBlockedSilently, ticketStale, ticketTwice } from "./tickets.ts";

export const RULES: readonly ScanRule[] = [
  ...[secret, environmentTracked, conflictMarkers, caseClash, debuggerLeft, junkTracked],
  ...[manifestInvalid, guardrailGap, manifestDrift, harnessOutdated, rolePromptUnused],
  ...[ticketTwice, ticketStale, ticketBlockedSilently],
  ...[testsMissing, testFocused, hotUntested],
  ...[ciUntrustedCheckout, ciMissing, ciWithoutTests, ciActionMoving],
  ...[lockfileDrift, lockfileMissing, lockfilesRival, dependencyOpen, versionDrift],
  ...[agentsStale, readmeMissing, licenceMissing, agentsMissing],
  ...[docsLinkBroken, environmentUndocumented, docsAnchorBroken, docsPathGone, docsDead],
  ...[docsyncMissing, fileHuge, fileOversize, functionOversize, todoOld, imageUnpinned],
];

export const FILE_RULES: readonly FileRule[] = RULES.filter((rule) => rule.scope === "file");
