/** Queues and sends anonymous reports while a service runs, if its user turned reporting on. */
import {
  intervalMs,
  type Reporting,
  reportingOf,
  type SaidByEnvironment,
} from "svc/features/settings/reporting.ts";
import { configMentions, type ConfigPlace } from "svc/features/settings/config_mentions.ts";
import type { SentReports } from "svc/features/telemetry/send_reports.ts";
import type { LoopPorts, RuntimePorts } from "svc/runtime/ports.ts";

/** Time between two checks whether a report is due; it is short because a machine may have slept. */
const LOOK_MS = 10 * 60 * 1000;

export interface ReportPlan {
  readonly said: SaidByEnvironment;
  /** As Deno names this machine. */
  readonly target: string;
  readonly on: (sent: SentReports) => void;
}

type SettingPorts = ConfigPlace & Pick<RuntimePorts, "settings">;
export type ReportPorts = LoopPorts & SettingPorts & Pick<RuntimePorts, "fetch" | "load">;

/** Undefined where nothing is sent; then neither zod nor YAML is loaded for it. */
export async function reportingWhereOn(
  ports: SettingPorts,
  said: SaidByEnvironment,
): Promise<Reporting | undefined> {
  const mayBe = said.reporting !== undefined || await configMentions(ports, "anonymous");
  if (!mayBe) return undefined;
  const reporting = reportingOf(said, await ports.settings());
  return reporting.silent === undefined ? reporting : undefined;
}

/** One of several processes on a database queues a report, and any may send it: it counts once. */
export async function reportRound(
  ports: ReportPorts,
  reporting: Reporting,
  { target }: Pick<ReportPlan, "target">,
): Promise<SentReports | undefined> {
  const { db, clock, load } = ports;
  const { exportReport, pendingReports, reportState, takeLook } = await load(
    "src/features/telemetry/outbox_store",
  );
  const { RETRY_MAX_MS, sendReports } = await load("src/features/telemetry/send_reports");
  const now = clock.now();
  const state = await reportState(db);
  const { looked_at: looked, retry_at: retry } = state;
  // A time ahead is that of a clock set back since.
  const due = looked === null || looked > now || now - looked >= intervalMs(reporting.interval);
  if (due && await takeLook(db, state, now)) await exportReport(db, { now, target });
  if (retry !== null && retry > now && retry - now <= RETRY_MAX_MS) return undefined;
  if ((await pendingReports(db)).length === 0) return undefined;
  return await sendReports(ports, reporting);
}

/**
 * Until the signal; failures are logged, and nothing waits for it. Whoever turns reporting off is heard by the next
 * look: nothing leaves the machine from then on.
 */
export async function runReports(ports: ReportPorts, plan: ReportPlan): Promise<void> {
  const { clock, log, signal } = ports;
  const failed = (cause: unknown) => void log.write("warn", "telemetry: a round failed", { cause });
  const first = await reportingWhereOn(ports, plan.said).catch(failed);
  if (!first) return;
  const pause = Math.min(LOOK_MS, intervalMs(first.interval));
  while (!signal.aborted) {
    const reporting = await reportingWhereOn(ports, plan.said).catch(failed);
    const sent = reporting && await reportRound(ports, reporting, plan).catch(failed);
    if (sent && !signal.aborted) plan.on(sent);
    await clock.sleep(pause, signal);
  }
}
