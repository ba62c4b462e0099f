/** What a model's use costs: by the user's own prices, or else by svc's list of makers' prices. */
import pricesText from "assets/models/prices.yaml" with { type: "text" };
import { z } from "zod";
import { type Cost, NO_COST, rounded } from "svc/core/cost.ts";
import { isOwnNetwork } from "svc/core/loopback.ts";
import type { ModelProfile, ModelRoute } from "svc/features/models/client/model.ts";
import { Price } from "svc/features/settings/model_settings.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { isNamed } from "./model_names.ts";

const Prices = z.strictObject({
  version: z.literal(1),
  makers: z.array(z.strictObject({
    origin: z.url({ protocol: /^https$/ }),
    source: z.url({ protocol: /^https$/ }),
    as_of: z.iso.date(),
    prices: z.record(z.string(), Price),
  })),
});
export type Maker = z.infer<typeof Prices>["makers"][number];

/** `models.prices` of the user's config: patterns of models' names, of which the first that fits counts. */
export type OwnPrices = Readonly<Record<string, Price>>;

/** Tokens; `cachedIn` and `cacheWriteIn` are parts of `tokensIn`. */
export interface TokenUse {
  readonly tokensIn: number;
  readonly cachedIn?: number | undefined;
  readonly cacheWriteIn?: number | undefined;
  readonly tokensOut: number;
  /** Those of the longest prompt; `tokensIn` where that is not known. */
  readonly largestIn?: number | undefined;
}

let read: readonly Maker[] | undefined;

export function makers(): readonly Maker[] {
  return read ??= readYaml({ text: pricesText, path: "assets/models/prices.yaml" }, Prices).makers;
}

/** In US dollars; undefined where a prompt was longer than the price holds for. */
export function costOf(use: TokenUse, price: Price): number | undefined {
  const { tokensIn, cachedIn = 0, cacheWriteIn = 0, tokensOut, largestIn = tokensIn } = use;
  if (price.up_to !== undefined && largestIn > price.up_to) return undefined;
  const { input, output, cached_input = input, cache_write = input } = price;
  const fresh = Math.max(0, tokensIn - cachedIn - cacheWriteIn);
  const micros = fresh * input + cachedIn * cached_input + cacheWriteIn * cache_write +
    tokensOut * output;
  return rounded(micros / 1e6);
}

/** A release of the model that the list names without its date: gpt-5-2025-08-07, claude-opus-4-5-20251101. */
const RELEASE = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

function listedPrice({ endpoint, model }: Pick<ModelRoute, "endpoint" | "model">) {
  const { origin } = new URL(endpoint);
  const prices = makers().find((maker) => maker.origin === origin)?.prices ?? {};
  const name = model.replace(/^models\//, "");
  return [name, name.replace(RELEASE, "")].filter((each) => Object.hasOwn(prices, each))
    .map((each) => prices[each]!)[0];
}

/** Ollama serves models with this tag from its own cloud, through the server of this machine. */
export const ELSEWHERE = /[:-]cloud$/;

type UsedModel = {
  readonly route: Pick<ModelRoute, "endpoint" | "model">;
  readonly evidence: ModelProfile["evidence"];
};

function priceOf(route: UsedModel["route"], own: OwnPrices): Price | "local" | undefined {
  const pattern = Object.keys(own).find((each) => isNamed(route.model, each));
  if (pattern !== undefined) return own[pattern];
  const local = isOwnNetwork(new URL(route.endpoint).hostname) && !ELSEWHERE.test(route.model);
  return local ? "local" : listedPrice(route);
}

/** US dollars for a use, or why there are none. */
export function pricing(
  route: UsedModel["route"],
  own: OwnPrices,
): "free" | "unknown" | ((use: TokenUse) => number | undefined) {
  const price = priceOf(route, own);
  if (price === "local") return "free";
  return price === undefined ? "unknown" : (use) => costOf(use, price);
}

export function costFor(
  { route, evidence }: UsedModel,
  use: TokenUse,
  own: OwnPrices,
): Cost {
  if (evidence === "fixture") return { cost_basis: "fixture", cost_usd: null };
  if (use.tokensIn + use.tokensOut === 0) return NO_COST;
  const price = priceOf(route, own);
  if (price === "local") return { cost_basis: "local", cost_usd: null };
  const usd = price && costOf(use, price);
  return usd === undefined
    ? { cost_basis: "unknown", cost_usd: null }
    : { cost_basis: "price", cost_usd: usd };
}
