/** Adds one question to a conversation that is shortened only as far as the window demands. */
import type { Message } from "svc/features/models/client/model.ts";
import { fitted, stubbed } from "./compact.ts";
import { joined } from "./conversation.ts";
import { promptChars, type RunState } from "./run_state.ts";

export function tokensLeft(run: RunState, messages: readonly Message[]): number {
  return run.window - run.scale.tokens(promptChars(run, messages));
}

/** When none of `forms` leaves `reserve` tokens, the outputs go, then the oldest turns. */
export function fittingRequest(
  run: RunState,
  forms: readonly (readonly Message[])[],
  question: Message,
  reserve: number,
): readonly Message[] {
  const asking = (form: readonly Message[]) => joined(form, [question]);
  const fits = (form: readonly Message[]) => tokensLeft(run, asking(form)) >= reserve;
  const bare = () => fitted(stubbed(forms[0]!, forms[0]!.length), fits);
  return asking(forms.find(fits) ?? bare());
}
