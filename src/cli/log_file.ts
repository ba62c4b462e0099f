/** Checks `--log-file` before anything else is done: a log that cannot be written would end a job that runs. */
import { refuseInsideRepo } from "svc/platform/files/outside_repo.ts";
import { refuseAsLog } from "svc/platform/log.ts";

/** @throws Failure `usage` */
export async function checkLogFile(
  { logFile }: { readonly logFile: string | undefined },
): Promise<void> {
  if (logFile === undefined) return;
  await refuseInsideRepo(logFile, "--log-file");
  refuseAsLog(logFile);
}
