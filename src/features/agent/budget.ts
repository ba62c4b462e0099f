/** What a run may still spend, in tokens and in money, before it asks its model again. */
import { AGENT_REPLY_TOKENS } from "svc/core/bounds.ts";
import { usdText } from "svc/core/cost.ts";
import { nextUse, type RunState } from "./run_state.ts";

/** One budget of a run, in its own unit. */
interface Purse {
  readonly left: number;
  /** What the next prompt takes. */
  readonly prompt: number;
  /** What the prompt of a turn of grace takes, which follows with little more text. */
  readonly again: number;
  readonly perReplyToken: number;
  /** For the evidence of a run that ends here. */
  readonly says: string;
}

/** Counts what the model computes anew, so that a prompt sent again and again is paid for once. */
function tokenPurse(run: RunState): Purse | undefined {
  const { plan: { limits: { budgetTokens } }, tally } = run;
  if (budgetTokens === undefined) return undefined;
  const { tokensIn, freshIn } = nextUse(run);
  const used = tally.freshIn + tally.tokensOut;
  return {
    left: budgetTokens - used,
    prompt: freshIn,
    again: run.cacheShare === undefined ? 0 : (1 - run.cacheShare) * tokensIn,
    perReplyToken: 1,
    says: `the budget of ${budgetTokens} tokens does not take another turn: ${used} are used, ` +
      `the next prompt needs about ${freshIn}`,
  };
}

/** Believes in a cache only where the server has told of it. */
function moneyPurse(run: RunState): Purse | undefined {
  const { plan: { limits: { budgetUsd }, priceOf }, tally } = run;
  if (budgetUsd === undefined || priceOf === undefined) return undefined;
  const { tokensIn, freshIn } = nextUse(run);
  const spent = priceOf(tally) ?? Infinity;
  const cachedIn = Math.floor((tokensIn - freshIn) * (run.cacheShare ?? 0));
  const writes = tally.cacheWriteIn === undefined ? {} : { cacheWriteIn: tokensIn - cachedIn };
  const prompt = priceOf({ tokensIn, cachedIn, ...writes, tokensOut: 0 }) ?? Infinity;
  return {
    left: budgetUsd - spent,
    prompt,
    again: prompt,
    perReplyToken: (priceOf({ tokensIn: 0, tokensOut: 1_000_000 }) ?? Infinity) / 1_000_000,
    says: prompt === Infinity
      ? `no price is known for a prompt of ${tokensIn} tokens, so the budget of ` +
        `${usdText(budgetUsd)} cannot be kept`
      : `the budget of ${usdText(budgetUsd)} does not take another turn: ` +
        `${usdText(spent)} is spent, the next prompt costs about ${usdText(prompt)}`,
  };
}

function purses(run: RunState): readonly Purse[] {
  return [tokenPurse(run), moneyPurse(run)].filter((purse) => purse !== undefined);
}

function reply({ left, prompt, again, perReplyToken }: Purse, turns: number): number {
  // From the second turn on, a turn of grace is kept in reserve.
  const kept = turns === 0 ? 0 : again + AGENT_REPLY_TOKENS * perReplyToken;
  return perReplyToken === 0
    ? (left >= prompt + kept ? Infinity : -Infinity)
    : (left - prompt - kept) / perReplyToken;
}

/** Tokens of a reply that every budget leaves beside its prompt and a turn of grace; may be negative. */
export function affordableReply(run: RunState): number {
  return Math.floor(Math.min(Infinity, ...purses(run).map((each) => reply(each, run.tally.turns))));
}

export function canAffordGrace(run: RunState): boolean {
  return purses(run).every((purse) => reply(purse, 0) >= AGENT_REPLY_TOKENS);
}

/** Why no budget takes another turn; undefined while all do. */
export function overBudget(run: RunState): string | undefined {
  return purses(run).find((purse) => reply(purse, run.tally.turns) < AGENT_REPLY_TOKENS)?.says;
}
