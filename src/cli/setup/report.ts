/** What `svc setup` prints when it is done. */
import type { Immutable } from "svc/core/immutable.ts";
import { showDiff } from "svc/cli/page/harness_report.ts";
import type { Page } from "svc/cli/page/page.ts";
import { bytesText } from "svc/features/models/bundles/progress.ts";
import { planLines } from "./plan_lines.ts";
import type { SetupResult } from "./shape.ts";

const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

type Result = Immutable<SetupResult>;

function gpuText({ gpus }: Result["machine"]): string {
  const each = gpus.map(({ name, memory_bytes }) =>
    memory_bytes === null ? name : `${name} with ${gb(memory_bytes)}`
  );
  return each.join(", ") || "none found";
}

function serverRows({ found }: Result): [string, string][] {
  return found.servers.map(({ provider, endpoint, models }) => [
    provider,
    `${endpoint}, ${models.length} ${models.length === 1 ? "model" : "models"}`,
  ]);
}

function modelText({ model }: Result): string {
  if (model === undefined) return "not chosen";
  const { provider, model: name = "whatever it serves", endpoint, tools, window } = model;
  const facts = [
    `${provider} at ${endpoint}`,
    ...(tools === undefined ? [] : [tools === "native" ? "calls tools" : "calls tools in text"]),
    ...(window === undefined ? [] : [`${window} tokens`]),
  ];
  return `${name} (${facts.join(", ")})`;
}

/** Those that are here; where none is, how to get one. */
function programsText({ programs }: Result): string {
  const here = programs.filter(({ found }) => found).map(({ program }) => program);
  if (here.length > 0) return here.join(", ");
  return `none that serves models; to get one: ${programs[0]!.get}`;
}

function releaseRow({ release }: Result): [string, string][] {
  if (release === undefined) return [];
  const { access, endpoint, reason } = release;
  return [["releases", `${access}: ${endpoint}${reason === null ? "" : `, ${reason}`}`]];
}

const DONE = { created: "made", changed: "changed", unchanged: "as it was" } as const;
const WOULD = {
  created: "would be made",
  changed: "would be changed",
  unchanged: "as it was",
} as const;

function showDownload(
  { bundle, plan, done }: NonNullable<Result["download"]>,
  page: Page,
  dryRun: boolean,
): void {
  if (done) page.line(`${page.tone("good", "downloaded:")} ${bundle}`);
  else if (plan.artifacts.length === 0) page.line(`${bundle}: its file is here`);
  else if (dryRun) { for (const line of planLines(plan)) page.line(line); }
  else page.line(`${bundle}: ${bytesText(plan.bytes)} are not downloaded`);
}

export function showSetup(result: Result, page: Page): void {
  const { machine, found, home, config, dry_run, notes, next } = result;
  const did = dry_run ? WOULD : DONE;
  page.fields([
    [
      "machine",
      `${machine.cores} cores, ${gb(machine.memory_bytes)} memory, ${
        gb(machine.disk_free_bytes)
      } free`,
    ],
    ["gpu", gpuText(machine)],
    ...serverRows(result),
    ["keys", found.keys.join(", ") || "none set"],
    ["programs", programsText(result)],
    ["model", modelText(result)],
    ["home", `${home.path}: ${did[home.change]}`],
    ...releaseRow(result),
    ["config", `${config.path}: ${did[config.change]}`],
  ]);
  for (const { endpoint, why } of found.others) {
    page.line(`${page.tone("dim", "passed over:")} ${endpoint}: ${why}`);
  }
  if (result.download !== undefined) showDownload(result.download, page, dry_run);
  if (config.diff !== "") showDiff(config.diff, page);
  for (const note of notes) page.line(`${page.tone("warn", "note:")} ${note}`);
  if (home.open) {
    page.line(`${page.tone("warn", "warning:")} ${home.path} is open to other users`);
    page.next(`chmod 700 ${home.path}`);
  }
  for (const step of next) page.next(step);
}
