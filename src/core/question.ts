/** What a role asks a person: bounded, and safe to be shown and stored. */
import { plainLines } from "./plain_text.ts";
import type { Redact } from "./redact.ts";
import { shortened } from "./shortened.ts";

/** Characters; a longer text is cut, since a role that asked at length should not have to ask again. */
const QUESTION_CHARS = 1_000;
const CHOICE_CHARS = 200;
const WHY_CHARS = 1_000;

/** More choices are an open question. */
const CHOICES = 8;

export interface AskedQuestion {
  /** What a person must decide. */
  readonly asked: string;
  readonly choices: readonly string[];
  /** Empty where the role did not say. */
  readonly why: string;
}

/** Waits for an answer in the front matter of a blocked ticket. */
export interface Question extends AskedQuestion {
  readonly role: string;
  readonly job: string;
}

const plain = (text: string, chars: number) => shortened(plainLines(text).trim(), chars);

export const flatLine = (text: string) => plainLines(text).replaceAll(/\s+/g, " ").trim();

/** Without characters that a terminal acts on or a reader does not see. */
export function boundedQuestion({ asked, choices, why }: AskedQuestion): AskedQuestion {
  const lines = choices.map((choice) => shortened(flatLine(choice), CHOICE_CHARS));
  return {
    asked: plain(asked, QUESTION_CHARS),
    choices: lines.filter((choice) => choice !== "").slice(0, CHOICES),
    why: plain(why, WHY_CHARS),
  };
}

export function redactedQuestion(
  { asked, choices, why }: AskedQuestion,
  redact: Redact,
): AskedQuestion {
  return { asked: redact(asked), choices: choices.map(redact), why: redact(why) };
}

/** In one line, such as `Which format? (1: ISO 8601, 2: US; why: no line says)`. */
export function questionLine({ asked, choices, why }: AskedQuestion): string {
  const more = [
    ...(choices.length === 0 ? [] : [choices.map((one, at) => `${at + 1}: ${one}`).join(", ")]),
    ...(why === "" ? [] : [`why: ${why}`]),
  ];
  return flatLine(more.length === 0 ? asked : `${asked} (${more.join("; ")})`);
}

export const answerCommand = (ticket: string) => `svc tickets answer ${ticket} "…"`;
