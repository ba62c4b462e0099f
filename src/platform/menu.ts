/** A list to choose from with the arrow keys; loaded only where somebody sits at a terminal that can show it. */
import { isCancel, select } from "@clack/prompts";
import type { MenuItem } from "./prompt.ts";

/** @returns undefined for Ctrl-C, Escape and an abort; the terminal is as it was before */
export async function arrowMenu(
  question: string,
  items: readonly MenuItem[],
  signal: AbortSignal,
): Promise<number | undefined> {
  const options = items.map(({ label, hint }, value) => ({
    value,
    label,
    ...(hint !== undefined && { hint }),
  }));
  const chosen = await select<number>({ message: question, options, initialValue: 0, signal });
  return isCancel(chosen) ? undefined : chosen;
}
