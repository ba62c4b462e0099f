/** Prints the prompt, tools, model and limits of a run that was not made. */
import { plainLines } from "svc/core/plain_text.ts";
import type { RunPreview } from "svc/runtime/run/report_shape.ts";
import type { Page } from "svc/cli/page/page.ts";

const WINDOW_FROM: Record<RunPreview["window"]["from"], string> = {
  declared: "as the route says",
  probed: "as the endpoint said last",
  assumed: "assumed: no run has asked this endpoint yet; a larger one cuts less of the prompt",
};

export function showPreview(preview: RunPreview, page: Page): void {
  const { model, window, limits } = preview;
  page.heading("System prompt");
  page.line(plainLines(preview.system));
  page.line();
  page.heading("First message");
  page.line(plainLines(preview.task));
  page.line();
  page.heading("Tools");
  for (const tool of preview.tools) page.line(plainLines(JSON.stringify(tool)));
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
      `${limits.max_turns} turns, ${limits.budget_tokens} tokens, ${limits.timeout_minutes} min`,
    ],
    ...(preview.cut.length === 0 ? [] : [["shortened", preview.cut.join(", ")] as const]),
  ]);
  page.next("the same command without --dry-run");
}
