/** The section "## Answers" of a ticket: what roles asked, and what a person said. */
import { type BodySection, bodySections, isHeadingOf } from "./body_sections.ts";
import { flatLine, type Question } from "svc/core/question.ts";

const NAME = "Answers";

/** No line of it can pass for a heading or a fence of the ticket. */
const quote = (text: string) =>
  text.split("\n").map((line) => line === "" ? ">" : `> ${line}`).join("\n");

/** @param at RFC 3339 */
export function answerEntry(
  { asked, choices, why, role, job }: Question,
  { answer, actor, at }: { readonly answer: string; readonly actor: string; readonly at: string },
): string {
  const question = [
    asked,
    ...choices.map((choice, nth) => `${nth + 1}. ${choice}`),
    ...(why === "" ? [] : [`Why: ${why}`]),
  ].join("\n");
  return [
    `### ${flatLine(role)} asked, in job ${flatLine(job)}`,
    quote(question),
    `${flatLine(actor)} answered, ${at}:`,
    quote(answer),
  ].join("\n\n");
}

const answersIn = (sections: readonly BodySection[]) =>
  sections.find(({ heading }) => isHeadingOf(heading, NAME));

/** Adds the entry behind earlier ones, or a section for it before the evidence. */
export function withAnswer(body: string, entry: string, eol: string): string {
  const text = entry.replaceAll("\n", eol);
  const sections = bodySections(body);
  const known = answersIn(sections);
  if (known !== undefined) {
    return `${body.slice(0, known.to)}${eol}${eol}${text}${body.slice(known.to)}`;
  }
  const section = `## ${NAME}${eol}${eol}${text}${eol}`;
  const evidence = sections.find(({ heading }) => isHeadingOf(heading, "Evidence"));
  if (evidence !== undefined) {
    return `${body.slice(0, evidence.from)}${section}${eol}${body.slice(evidence.from)}`;
  }
  const gap = body === "" || body.endsWith("\n") ? eol : `${eol}${eol}`;
  return `${body}${gap}${section}`;
}

/** The entries, oldest first, and the text without their section. @param text a ticket's file or body */
export function answersApart(
  text: string,
): { readonly rest: string; readonly answers: readonly string[] } {
  const section = answersIn(bodySections(text));
  if (section === undefined) return { rest: text, answers: [] };
  const entries = text.slice(section.textFrom, section.to).split(/^### /m).slice(1);
  return {
    rest: text.slice(0, section.from) + text.slice(section.to).trimStart(),
    answers: entries.map((entry) => entry.trim()),
  };
}

/** Who answered the job's question, when, and what the answer was; undefined if nobody did. */
export function answerTo(body: string, job: string): string | undefined {
  for (const entry of answersApart(body).answers) {
    const [heading = "", _question, ...answer] = entry.replaceAll("\r\n", "\n").split("\n\n");
    if (heading.endsWith(`in job ${job}`)) return answer.join("\n\n");
  }
  return undefined;
}
