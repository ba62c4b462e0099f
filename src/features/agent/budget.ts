/** What a run may still spend, in tokens and in money, before it asks its model again. */
import { AGENT_REPLY_TOKENS } from "svc/core/bounds.ts";
import { usdText } from "svc/core/cost.ts";
import { nextUse, type RunState, type SetAside } from "./run_state.ts";

/**
 * Tokens of a reply, at most. Always sent: mlx_lm stops at 512 otherwise, and a model in a loop never. OpenAI
 * advises to leave 25,000 for reasoning and output, and most models take 32,000 (gpt-4.1, Claude Opus 4).
 */
export const AGENT_REPLY_MAX_TOKENS = 32_000;

/** What the next turn takes, in the unit of a budget. */
interface TurnNeed {
  /** By the run so far. */
  readonly used: number;
  /** What the next prompt takes. */
  readonly prompt: number;
  /** What the prompt of a turn of grace takes, which follows with little more text. */
  readonly again: number;
  readonly perReplyToken: number;
}

/** One budget of a run, in its own unit: tokens or US dollars. */
interface Purse extends TurnNeed {
  readonly left: number;
  /** For the evidence of a run that ends here. */
  readonly says: string;
  /** The way out, for a budget that other jobs share. */
  readonly raise?: string;
}

/** Counts uncached tokens, so that a prompt that is sent again and again counts once. */
function tokenNeed(run: RunState): TurnNeed {
  const { tally, cacheShare } = run;
  const { tokensIn, freshIn } = nextUse(run);
  return {
    used: tally.freshIn + tally.tokensOut,
    prompt: freshIn,
    again: cacheShare === undefined ? 0 : (1 - cacheShare) * tokensIn,
    perReplyToken: 1,
  };
}

/** Assumes a cache only if the server has reported one. */
function moneyNeed(run: RunState): TurnNeed | undefined {
  const { plan: { priceOf }, tally } = run;
  if (priceOf === undefined) return undefined;
  const { tokensIn, freshIn } = nextUse(run);
  const cachedIn = Math.floor((tokensIn - freshIn) * (run.cacheShare ?? 0));
  const writes = tally.cacheWriteIn === undefined ? {} : { cacheWriteIn: tokensIn - cachedIn };
  const prompt = priceOf({ tokensIn, cachedIn, ...writes, tokensOut: 0 }) ?? Infinity;
  return {
    used: priceOf(tally) ?? Infinity,
    prompt,
    again: prompt,
    perReplyToken: (priceOf({ tokensIn: 0, tokensOut: 1_000_000 }) ?? Infinity) / 1_000_000,
  };
}

function tokenPurse(run: RunState): Purse | undefined {
  const { budgetTokens } = run.plan.limits;
  if (budgetTokens === undefined) return undefined;
  const need = tokenNeed(run);
  const { used, prompt } = need;
  return {
    ...need,
    left: budgetTokens - used,
    says: `the budget of ${budgetTokens} tokens does not take another turn: ${used} are used, ` +
      `the next prompt needs about ${prompt}`,
  };
}

function moneyPurse(run: RunState): Purse | undefined {
  const { budgetUsd } = run.plan.limits;
  const need = moneyNeed(run);
  if (budgetUsd === undefined || need === undefined) return undefined;
  const { used, prompt } = need;
  return {
    ...need,
    left: budgetUsd - used,
    says: prompt === Infinity
      ? `no price is known for a prompt of ${nextUse(run).tokensIn} tokens, so the budget of ${
        usdText(budgetUsd)
      } cannot be kept`
      : `the budget of ${usdText(budgetUsd)} does not take another turn: ` +
        `${usdText(used)} is spent, the next prompt costs about ${usdText(prompt)}`,
  };
}

/** What was set aside for this run when the turn began, less what it used since. */
function sharedPurses(run: RunState): (Purse | undefined)[] {
  const { usd, tokens } = run.setAside;
  const money = moneyNeed(run);
  return [usd && money && purseOf(money, usd), tokens && purseOf(tokenNeed(run), tokens)];
}

function purseOf(need: TurnNeed, { amount, from, ...why }: SetAside): Purse {
  return { ...need, ...why, left: amount - (need.used - from) };
}

function purses(run: RunState): readonly Purse[] {
  return [tokenPurse(run), moneyPurse(run), ...sharedPurses(run)]
    .filter((purse) => purse !== undefined);
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

/** Which budget has no room for another turn, and why; undefined while all have room. */
export function overBudget(run: RunState): Pick<Purse, "says" | "raise"> | undefined {
  return purses(run).find((purse) => reply(purse, run.tally.turns) < AGENT_REPLY_TOKENS);
}

function atMost({ prompt, again, perReplyToken }: TurnNeed): number {
  return prompt + again + (AGENT_REPLY_MAX_TOKENS + AGENT_REPLY_TOKENS) * perReplyToken;
}

/** Takes what the next turn and a turn of grace may need from the budgets that other jobs share. */
export async function setAsideTurn(run: RunState): Promise<void> {
  const { ledger } = run.plan;
  if (ledger === undefined) return;
  const [tokens, money] = [tokenNeed(run), moneyNeed(run)];
  const held = await ledger.setAside({ tokens: atMost(tokens), usd: money ? atMost(money) : 0 });
  run.setAside = {
    ...(held.tokens && { tokens: { ...held.tokens, from: tokens.used } }),
    ...(held.usd && money && { usd: { ...held.usd, from: money.used } }),
  };
}
