/** The results of trying set-up and checks in a fresh work tree, stored for one repo on this machine. */
import { repoId } from "svc/core/ids.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { z } from "svc/core/zod.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import type { DetectedCommand } from "./candidate.ts";

/** From the best to the worst. `needs_files`: it passes with what the checkout has and git does not. */
export const VERDICTS = [
  "runs",
  "red",
  "needs_files",
  "changes_files",
  "missing_program",
  "cannot_fail",
  "not_tried",
] as const;
export type Verdict = typeof VERDICTS[number];

export const trialShape = (
  zod: Pick<typeof z, "strictObject" | "string" | "int" | "array" | "enum" | "number" | "boolean">,
) =>
  zod.strictObject({
    /** The commit that was tried. */
    commit: zod.string(),
    /** Epoch ms. */
    tried_at: zod.int(),
    commands: zod.array(zod.strictObject({
      kind: zod.enum(["setup", "check"]),
      name: zod.string(),
      run: zod.array(zod.string()),
      /** The file that names it. */
      source: zod.string(),
      verdict: zod.enum(VERDICTS),
      /** Why, in one line. */
      said: zod.string(),
      remedy: zod.string().exactOptional(),
      seconds: zod.number(),
      /** It stands in the manifest, or is written there. */
      chosen: zod.boolean(),
    })),
  });

export type TrialReport = Immutable<z.infer<ReturnType<typeof trialShape>>>;
export type TriedCommand = TrialReport["commands"][number];

/** Before it is known which are chosen. */
export type Judged = Omit<TriedCommand, "chosen">;

const REPORT_BYTES = 1024 * 1024;

type ReportPorts = { readonly files: Files; readonly home: Pick<Home, "cache"> };

async function pathOf({ home }: ReportPorts, root: string): Promise<string> {
  return `${home.cache}/trials/${await repoId(root)}.json`;
}

/** @param root real path of the checkout */
export async function keepReport(
  ports: ReportPorts,
  root: string,
  report: TrialReport,
): Promise<void> {
  await ports.files.makeFolder(`${ports.home.cache}/trials`);
  await ports.files.writeAtomic(await pathOf(ports, root), JSON.stringify(report));
}

/** Undefined where nothing was tried, or by another svc. */
export async function readReport(
  ports: ReportPorts,
  root: string,
): Promise<TrialReport | undefined> {
  const path = await pathOf(ports, root);
  if (await ports.files.stat(path) === undefined) return undefined;
  try {
    const text = await ports.files.readText(path, { maxBytes: REPORT_BYTES });
    const { success, data } = trialShape(z).safeParse(JSON.parse(text));
    return success ? data : undefined;
  } catch {
    return undefined; // it can be had again: svc checks try
  }
}

/** What was found out about this very command. */
export function triedAs(
  report: TrialReport | undefined,
  kind: TriedCommand["kind"],
  { run }: Pick<DetectedCommand, "run">,
): TriedCommand | undefined {
  const line = JSON.stringify(run);
  return report?.commands.find((one) => one.kind === kind && JSON.stringify(one.run) === line);
}
