/** Checks `--model-endpoint` before anything else is done, and says what a person should know of it. */
import type { App } from "svc/app.ts";
import { styledOn, toneText } from "svc/cli/page/page.ts";
import { visible } from "svc/core/visible_text.ts";
import { namedEndpoint } from "svc/features/models/choose/named_endpoint.ts";

/** @throws Failure `usage` */
export function checkModelEndpoint(
  { env, stderr }: Pick<App, "env" | "stderr">,
  { modelEndpoint, plain }: {
    readonly modelEndpoint: string | undefined;
    readonly plain: boolean;
  },
): void {
  if (modelEndpoint === undefined) return;
  const styled = !plain && styledOn(stderr, env);
  for (const { text } of namedEndpoint(modelEndpoint).warnings) {
    stderr.write(`${toneText(styled, "warn", "warning:")} ${visible(text)}\n`);
  }
}
