/** The Worker's side of a scan: looks at the files that it is given, and reaches nothing else. */
import { secretsIn, type SecretTask } from "svc/features/guardrails/file_secrets.ts";
import { systemClock, threadTime } from "svc/platform/clock.ts";
import { answerPieces } from "svc/platform/confined/file_pieces.ts";
import { type FactsTask, lookAtFile } from "./look_at_file.ts";

answerPieces<SecretTask | FactsTask>((settings) => {
  const now = threadTime(systemClock);
  const look = settings.task === "facts"
    ? (path: string, bytes: Uint8Array) => lookAtFile(path, bytes, { now })
    : (path: string, bytes: Uint8Array) => secretsIn(path, bytes, { now, allow: settings.allow });
  return (path, bytes) => {
    const found = look(path, bytes);
    // The other thread gives a file that took too long its time again.
    return found.unfinished === undefined ? found : undefined;
  };
});
