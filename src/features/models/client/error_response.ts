/** Reads what a provider answered instead of a reply: HTTP status, error object, requested wait. */
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import {
  CONTENT_FILTER,
  modelFault,
  type ModelTarget,
  NOT_ANSWERED_REMEDY,
  PROTOCOL_NAMES,
  proxyLoginFault,
} from "./faults.ts";
import type { ModelFault, ModelFaultKind } from "./model.ts";
import { overflowIn, type StatedSizes } from "./overflow.ts";

/** A response that is an error. Its text may hold anything, so it is never shown as it is. */
export class ErrorResponse extends Error {
  override readonly name = "ErrorResponse";
  constructor(
    /** 0 for an error object inside a stream. */
    readonly status: number,
    readonly text: string,
    readonly headers: Headers = new Headers(),
  ) {
    super(`HTTP status ${status}`);
  }
}

interface ErrorObject {
  readonly message: string;
  readonly codes: string;
  /** What the provider behind a gateway said. */
  readonly upstream: string;
  /** Ms, where the body says how long to wait. */
  readonly wait: number | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** `RetryInfo` of Google's errors, such as "45.837906927s": Gemini sends no header (dcdpr/jp#1061). */
function statedWait(details: unknown): number | undefined {
  const delays = Array.isArray(details) ? details.map((detail) => detail?.retryDelay) : [];
  const [, seconds] = /^(\d{1,9}(?:\.\d+)?)s$/.exec(textOf(delays.find(Boolean))) ?? [];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** "Please try again in 9m38.016s", of OpenAI and Groq (continuedev/continue#10920): the only word of it inside a stream. */
function wordedWait(said: string): number | undefined {
  const [, time] = /try again in ((?:\d{1,9}(?:\.\d{1,12})?(?:h|ms|m|s)){1,4})\b/i.exec(said) ?? [];
  if (time === undefined) return undefined;
  const parts = [...time.toLowerCase().matchAll(/([\d.]+)(h|ms|m|s)/g)];
  return Math.ceil(
    parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit!]!, 0),
  );
}

/** Such as "body.tools: Extra inputs are not permitted". Without `input`, which repeats the request. */
function listedFaults(list: unknown): string {
  if (!Array.isArray(list)) return "";
  const faults = list.map((each) => {
    const place = Array.isArray(each?.loc) ? each.loc.join(".") : "";
    return [place, textOf(each?.msg) || textOf(each?.message)].filter(Boolean).join(": ");
  });
  return faults.filter(Boolean).join("; ");
}

/**
 * `{"error": {"message", "type", "code"}}` of OpenAI, the same in an array of Gemini, `{"error": "…",
 * "error_type"}` of Ollama and TGI, `{"message"}` of others; `metadata.raw` of OpenRouter. What pydantic refuses is
 * a list: in `detail` (FastAPI), `message` or `message.detail` (Mistral: partITech/php-mistral#76, eca#231); in
 * `errors` with Cloudflare.
 */
export function errorObject(text: string): ErrorObject {
  try {
    const whole = JSON.parse(text);
    const first = Array.isArray(whole) ? whole[0] : whole;
    const error = first?.error ?? first;
    const fields = typeof error === "object" && error !== null ? error : {};
    const lists = [error?.detail, error?.message, error?.message?.detail, first?.errors];
    const message = textOf(error) || textOf(error?.message) || textOf(error?.detail) ||
      lists.map(listedFaults).find(Boolean) || "";
    const codes = [error?.code, error?.type, first?.error_type].map(textOf).join(" ");
    const upstream = textOf(error?.metadata?.raw);
    return { message, codes, upstream, wait: statedWait(error?.details), fields };
  } catch {
    // an HTML page of a proxy
    return { message: "", codes: "", upstream: "", wait: undefined, fields: {} };
  }
}

/** Gemini says "exceeded your current quota" of a minute's limit too, and names the one that is meant. */
const PER_DAY = /per.?day/i;

/** A spending limit of the account or the key: waiting does not help a run. */
const QUOTA = new RegExp(
  [
    "insufficient_quota|billing|credit balance|insufficient (?:balance|credits?|funds)",
    "exceeded your current quota", // OpenAI, Gemini
    "reached your [\\w ]{0,30}\\busage limits?", // Anthropic, as a 400 (claude-code#38035); Ollama's cloud (continue#11444)
    "key limit exceeded", // OpenRouter, as a 403 (gptme#1449)
    "used all available credits|run out of credits", // xAI, as a 429 (continue#10373) or a 403 (koan#2412)
    "budget_exceeded", // LiteLLM
    "\\bArrearage\\b", // DashScope, as a 400 (TradingAgents-CN#170)
    "balance is insufficient", // SiliconFlow, as a 403
    "余额不足", // Zhipu, as a 429: "the balance does not suffice"
  ].join("|"),
  "i",
);

/** The last one is LM Studio's, with status 200, for a path that it does not have (lmstudio-bug-tracker#1323). */
const NOT_FOUND = /model.{0,80}not found|model_not_found|unexpected endpoint or method/i;

/** Gemini (openai-scala-client#109) and xAI, as a 400. */
const WRONG_KEY = /api key not valid|incorrect api key provided/i;

/** OpenAI says so of a model that the key's project may not use, as a 403 (Aider-AI/aider#604). */
const NO_SUCH_MODEL = /\bmodel_not_found\b/;

/** Groq, of what its own model wrote in place of a call (groq/groq-typescript#28): another answer may be right. */
const TOOL_USE_FAILED = /\btool_use_failed\b/;

/** What the model wrote then; undefined for other errors. */
export function failedCall({ text }: Pick<ErrorResponse, "text">): string | undefined {
  const { codes, fields } = errorObject(text);
  return TOOL_USE_FAILED.test(codes) ? textOf(fields["failed_generation"]) : undefined;
}

function kindOf(
  status: number,
  said: string,
  overflow: StatedSizes | undefined,
  opensAgain: boolean,
): ModelFaultKind {
  // Groq and OpenAI name their page of billing in limits of a minute, and in requests too large for one.
  if ((status === 429 || status === 0) && opensAgain) return "rate_limited";
  if (status === 402) return "quota";
  if (overflow !== undefined) return "context_overflow";
  if (QUOTA.test(said)) return "quota";
  if (status === 429) return "rate_limited";
  if (status === 403 && NO_SUCH_MODEL.test(said)) return "not_found";
  if (status === 401 || status === 403) return "auth";
  if (status === 400 && WRONG_KEY.test(said)) return "auth";
  if (TOOL_USE_FAILED.test(said)) return "protocol";
  if (status === 404 || NOT_FOUND.test(said)) return "not_found";
  if (status === 0 || status >= 500 || [408, 409, 425].includes(status)) {
    return /rate.?limit|overloaded|throttl|please wait/i.test(said) ? "rate_limited" : "server";
  }
  return "bad_request";
}

/** Ms. Above it a wait is a mistake, such as a time of the clock in place of seconds: asking once a day harms nobody. */
const ASKED_WAIT_MOST_MS = 86_400_000;

/** Ms: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3); `now` in epoch ms. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get("retry-after-ms") ?? NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}

const SAID_CHARS = 200;

function quoted(said: string, redact: Redact): string {
  const line = redact(said).replaceAll(/[\p{C}\s]+/gu, " ").trim();
  if (line === "") return "";
  return `: "${shortened(line, SAID_CHARS)}"`;
}

function tooLong({ window }: StatedSizes): string {
  const stated = window === undefined ? "" : ` of ${window} tokens`;
  return `the prompt is longer than its context window${stated}`;
}

/** Says what happened; for auth it leaves the provider's words out, since they may quote the key. */
function sentence(kind: ModelFaultKind, status: number, said: string, redact: Redact): string {
  const answered = status === 0 ? "it broke off with an error" : `it answered ${status}`;
  if (kind === "auth") return `it refused the key (${status})`;
  return `${answered}${quoted(said, redact)}`;
}

/** OpenAI's words for models that it has in Responses alone (docker/docker-agent#313), or with tools there alone. */
const RESPONSES_ONLY =
  /v1\/responses.{0,200}chat\/completions|chat\/completions.{0,200}v1\/responses/is;

/** A path that the server does not have, where no model is named either. */
const NO_PATH = /^(?:|not found|invalid url.*|404 page not found)\.?$/i;

/** Clouds call it a deployment (Azure), or a serving endpoint by its name (Databricks). */
const speaksOf = (model: string, words: string) =>
  /\bmodel\b|\bdeployment\b/i.test(words) || words.includes(model);

function protocolRemedy(
  { protocol = "chat" }: ModelTarget,
  kind: ModelFaultKind,
  message: string,
): string | undefined {
  if (protocol === "chat" && RESPONSES_ONLY.test(message)) {
    return "Set protocol: responses for this model: svc models override … --protocol responses";
  }
  if (protocol !== "chat" && kind === "not_found" && NO_PATH.test(message)) {
    return `Set protocol: chat if the server does not offer ${PROTOCOL_NAMES[protocol]}: ` +
      "svc models override … --protocol chat";
  }
  return undefined;
}

export function responseFault(
  target: ModelTarget,
  { status, text, headers }: ErrorResponse,
  { redact, now }: { readonly redact: Redact; readonly now: number },
): ModelFault {
  if (status === 407) return proxyLoginFault(target);
  const { message, codes, upstream, wait: named, fields } = errorObject(text);
  const said = `${codes} ${message} ${upstream}`;
  const stays = named ?? wordedWait(said);
  const stated = overflowIn(status, said, fields);
  const kind = kindOf(status, said, stated, stays !== undefined && !PER_DAY.test(text));
  const asked = retryAfterMs(headers, now) ?? stays;
  const wait = asked && Math.min(asked, ASKED_WAIT_MOST_MS);
  const words = errorObject(upstream).message || upstream || message;
  const why = kind === "context_overflow"
    ? tooLong(stated!)
    : sentence(kind, status, words, redact);
  // An error inside a stream has its status in its code, where it has one.
  const code = status === 0 ? Number(fields["code"]) : status;
  const filtered = kind === "bad_request" && codes.includes(CONTENT_FILTER);
  const remedy = filtered ? NOT_ANSWERED_REMEDY : protocolRemedy(target, kind, message);
  return modelFault(target, kind, why, {
    ...(Number.isSafeInteger(code) && { status: code }),
    ...(kind === "context_overflow" && { stated }),
    ...(wait !== undefined && { retryAfterMs: wait }),
    ...(kind === "not_found" && speaksOf(target.model, `${codes} ${words}`) && { ofModel: true }),
    ...(remedy !== undefined && { remedy }),
  });
}
