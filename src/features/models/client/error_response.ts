/** Reads what a provider answered instead of a reply: HTTP status, error object, requested wait. */
import type { Redact } from "svc/core/redact.ts";
import { modelFault, type ModelTarget } from "./faults.ts";
import type { ModelFault, ModelFaultKind } from "./model.ts";

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
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** `{"error": {"message", "type", "code"}}` of OpenAI, `{"error": "…"}` of Ollama, `{"message"}` of others. */
export function errorObject(text: string): ErrorObject {
  try {
    const whole = JSON.parse(text);
    const first = Array.isArray(whole) ? whole[0] : whole;
    const error = first?.error ?? first;
    if (typeof error === "string") return { message: error, codes: "" };
    const message = textOf(error?.message) || textOf(error?.detail);
    return { message, codes: `${textOf(error?.code)} ${textOf(error?.type)}` };
  } catch {
    return { message: "", codes: "" }; // not JSON: an HTML page of a proxy
  }
}

/** How providers say that a prompt is too long (each from its own documentation or source). */
const OVERFLOW = new RegExp(
  [
    "context_length_exceeded|exceed_context_size", // OpenAI; llama.cpp
    "maximum context length|maximum model length", // OpenAI, OpenRouter, Mistral; vLLM
    "available context size|context (?:window|size|length) (?:exceed|limit|of)", // llama.cpp; MiniMax
    "exceed\\w* (?:the |max(?:imum)? |model'?s? )*context", // Ollama and others
    "(?:prompt|input|request) is too long|prompt too long", // Anthropic, Bedrock; Ollama
    "input token count .*exceeds", // Gemini
    "reduce the length of the (?:messages|prompt)", // Groq
    "(?:greater|longer|larger) than the (?:model'?s? )?(?:max\\w* )?context", // LM Studio
    "context the overflows|context overflow", // LM Studio
    "context size has been exceeded", // llama.cpp, as a 500
    "not fit in (?:the )?context", // LM Studio
    "exceeds the maximum allowed length", // SGLang
    "tokens \\+ `?max_new_tokens`? must be <=|inputs`? must have less than", // TGI
    "maximum prompt length", // xAI
    "exceeded model token limit|too many (?:input )?tokens", // Moonshot and others
  ].join("|"),
  "i",
);

const QUOTA =
  /insufficient_quota|billing|credit balance|insufficient (?:balance|credits?|funds)|exceeded your current quota/i;

function kindOf(status: number, said: string): ModelFaultKind {
  if (status === 402 || QUOTA.test(said)) return "quota";
  if (status === 429) return "rate_limited";
  if (OVERFLOW.test(said) || status === 413) return "context_overflow";
  if (status === 401 || status === 403 || status === 407) return "auth";
  if (status === 404 || /model.{0,80}not found|model_not_found/i.test(said)) return "not_found";
  if (status === 0 || status >= 500 || [408, 409, 425].includes(status)) {
    return /rate.?limit|overloaded/i.test(said) ? "rate_limited" : "server";
  }
  return "bad_request";
}

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
  return `: "${line.length > SAID_CHARS ? `${line.slice(0, SAID_CHARS)}…` : line}"`;
}

/** Says what happened; for auth it leaves the provider's words out, since they may quote the key. */
function sentence(kind: ModelFaultKind, status: number, said: string, redact: Redact): string {
  const answered = status === 0 ? "it broke off with an error" : `it answered ${status}`;
  if (kind === "auth") return `it refused the key (${status})`;
  if (kind === "context_overflow") return "the prompt is longer than its context window";
  return `${answered}${quoted(said, redact)}`;
}

export function responseFault(
  target: ModelTarget,
  { status, text, headers }: ErrorResponse,
  { redact, now }: { readonly redact: Redact; readonly now: number },
): ModelFault {
  const { message, codes } = errorObject(text);
  const kind = kindOf(status, `${codes} ${message}`);
  const wait = retryAfterMs(headers, now);
  return modelFault(target, kind, sentence(kind, status, message, redact), {
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}
