/** The command line that declares the window of a model whose server does not say it, or says too much. */
import { shellWord } from "svc/core/shell_word.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";

/** @param role undefined: for every role */
export function declareWindow(
  { provider, endpoint, model }: Pick<ModelRoute, "provider" | "endpoint" | "model">,
  role: string | undefined,
  tokens: number,
): string {
  const who = role === undefined ? ["--all"] : ["--role", role];
  const named = model === "" ? [] : ["--model", model];
  const words = [...who, "--provider", provider, "--endpoint", endpoint, ...named];
  return `svc models override ${words.map(shellWord).join(" ")} --context-window ${tokens}`;
}
