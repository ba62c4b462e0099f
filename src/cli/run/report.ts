/** The result of `svc run`: its page, exit status and next command, and the page of a dry run. */
import { counted } from "svc/core/counted.ts";
import type { z } from "zod";
import { costText, usdText } from "svc/core/cost.ts";
import type { Disposition } from "svc/core/disposition.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { duration } from "svc/core/time.ts";
import { type RunPreview, type RunReport, runShape } from "svc/runtime/run/report_shape.ts";
import type { Page, Tone } from "svc/cli/page/page.ts";
import { answerLine, hostLine, runLine, type RunOptions, startLine, ticketLine } from "./line.ts";

export const shownShape = (zod: typeof z) => runShape(zod).extend({ next: zod.string() });

export type RunShown = Immutable<z.infer<ReturnType<typeof shownShape>>>;

const WELL: ReadonlySet<Disposition> = new Set([
  ...["submitted", "approved", "changes_requested", "planned", "routed", "reported"] as const,
  "no_work",
]);

export function runExit({ disposition }: Pick<RunReport, "disposition">): number {
  if (WELL.has(disposition)) return 0;
  if (disposition === "policy_denied") return 3;
  if (disposition === "model_error") return 5;
  return disposition === "cancelled" ? 130 : 1;
}

export function nextStep(report: RunReport, given: RunOptions): string {
  const { decision, disposition, ticket, profile, role, trace } = report;
  if (disposition === "model_error") return "svc models list";
  if (report.question !== null && ticket !== null) return answerLine(ticket, given);
  if (decision !== null && decision.instead !== null && ticket !== null) {
    return ticketLine(ticket, given);
  }
  const next = decision?.next_role ?? undefined;
  // A rehearsal moved no ticket that another role could work on.
  if (profile === "observer" && (next !== undefined || role === "engineer")) {
    return hostLine(role, given, ticket);
  }
  if (next === "orchestrator") return runLine(next, given);
  // The next role needs the branch of this job, which only svc start passes on.
  if (next !== undefined && ticket === null) return startLine(given);
  if (next !== undefined) return runLine(next, given, ["--ticket", ticket!]);
  return trace === null ? "svc doctor" : `less ${trace}`;
}

function showWork(report: RunReport, page: Page): void {
  const { branch, commit, changed, uncommitted, checks, failed_checks, red_before } = report;
  if (branch === null) return;
  page.line();
  const at = commit === null ? "no commit" : `commit ${commit.slice(0, 12)}`;
  const failed = failed_checks.length === 0 ? "" : ` (${failed_checks.join(", ")})`;
  const before = red_before.length === 0 ? "" : `; red before and after: ${red_before.join(", ")}`;
  page.line(`on ${branch}, ${at}; checks: ${checks}${failed}${before}`);
  for (const { path, added, removed } of changed) {
    const stat = `${page.tone("good", `+${added}`)} ${page.tone("bad", `-${removed}`)}`;
    page.line(`  ${stat} ${path}`);
  }
  for (const path of uncommitted) {
    page.line(`  ${page.tone("warn", "not committed:")} ${path}`);
  }
}

function tokensText(report: RunReport): string {
  const { tokens_in, tokens_out, tokens_cached, tokens_estimated } = report;
  const notes = [
    ...(tokens_cached > 0 ? [`${tokens_cached} cached`] : []),
    ...(tokens_estimated ? ["estimated"] : []),
  ];
  const noted = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  return `${tokens_in + tokens_out} tokens${noted}`;
}

/** Texts of models and names of branches and files are stripped of terminal sequences. */
export function showRun(report: RunShown, page: Page): void {
  const { disposition, reported, decision, model, ticket, role } = report;
  const tone: Tone = WELL.has(disposition) ? "good" : disposition === "blocked" ? "warn" : "bad";
  const about = ticket === null ? "" : ` on ${ticket}`;
  page.line(`${page.tone("strong", role)}${about}: ${page.tone(tone, disposition)}`);
  if (report.evidence !== "") page.text(report.evidence);
  if (reported !== disposition) {
    const why = decision?.refused.find(({ rule }) => rule.endsWith(`.routes.${reported}`))?.why;
    page.line(
      `It reported ${reported}; svc saw no proof of that${why ? `: ${why}` : "."}`,
    );
  }
  showWork(report, page);
  page.line();
  page.fields([
    [
      "model",
      model === null ? "none" : `${model.model} at ${model.provider} (${model.because})`,
    ],
    ...(model?.evidence === "fixture"
      ? [["evidence", "fixture: a scripted endpoint, no live evidence"] as const]
      : []),
    [
      "used",
      `${counted(report.turns, "turn")}, ${counted(report.tool_calls, "tool call")}, ` +
      `${tokensText(report)}, ${duration(report.duration_ms)}`,
    ],
    ...(report.cost_basis === null ? [] : [["cost", costText(report)] as const]),
    ...(report.denials === 0 ? [] : [["denied", counted(report.denials, "tool call")] as const]),
    ["job", report.job],
    ...(report.trace === null ? [] : [["trace", report.trace] as const]),
  ]);
  if (decision !== null) {
    const moves = decision.move ?? "no ticket moves";
    // The evidence stands above in full.
    const stop = decision.stop?.replace(`: ${report.evidence}`, "");
    const then = decision.next_role ?? stop ?? "nothing";
    const verb = decision.applied ? "" : "would be: ";
    page.fields([["route", `${verb}${moves}; then ${then} (${decision.rule})`]]);
    if (decision.instead !== null) {
      page.line(`${page.tone("warn", "but in git:")} ${decision.instead}`);
    }
    for (const wait of decision.waits_for) {
      page.line(`${page.tone("warn", "waits for")} ${wait}`);
    }
  }
  page.next(report.next);
}

const WINDOW_FROM: Record<RunPreview["window"]["from"], string> = {
  declared: "as the route says",
  probed: "as the endpoint said last",
  assumed: "assumed: no run has asked this endpoint yet; a larger one cuts less of the prompt",
};

export function showPreview(preview: RunPreview, page: Page): void {
  const { model, window, limits } = preview;
  page.heading("System prompt");
  page.text(preview.system);
  page.line();
  page.heading("First message");
  page.text(preview.task);
  page.line();
  page.heading("Tools");
  for (const tool of preview.tools) page.line(JSON.stringify(tool));
  page.line();
  page.fields([
    ["role", `${preview.role} (${preview.harness === "repo" ? "of the repo" : "svc's own"})`],
    ["may", `profile ${preview.profile}, trust ${preview.trust}`],
    ["ticket", preview.ticket ?? "none"],
    ["branch", preview.branch ?? "none: works on the checkout and changes nothing"],
    [
      "model",
      `${model.model === "" ? "whatever is served" : model.model} at ${model.endpoint} ` +
      `(${model.because})`,
    ],
    ["window", `${window.tokens} tokens (${WINDOW_FROM[window.from]})`],
    [
      "limits",
      [
        counted(limits.max_turns, "turn"),
        ...(limits.budget_tokens === null ? [] : [`${limits.budget_tokens} uncached tokens`]),
        ...(limits.budget_usd === null ? [] : [usdText(limits.budget_usd)]),
        `${limits.timeout_minutes} min`,
      ].join(", "),
    ],
    ...(preview.cut.length === 0 ? [] : [["shortened", preview.cut.join(", ")] as const]),
  ]);
  const { obstacle } = preview;
  if (obstacle === null) return page.next("the same command without --dry-run");
  page.line(`${page.tone("warn", "note:")} it would be refused now: ${obstacle.message}`);
  page.next(obstacle.remediation);
}
