/** Tells a call from the mention of one by the words around it. Only the nearest words are looked at. */
import { withoutEnding } from "svc/core/text_ends.ts";

const NEAR_CHARS = 160;

/** Nothing but words of an example stand between these and the call. */
const EXAMPLE =
  /(?:\b(?:for (?:example|instance)|such as|e\.g\.?|like (?:this|so)|examples?(?: (?:of|for)\b[^.!?\n]{0,40})?|usage|syntax|templates?|placeholder))[\s:,(*_"'`–—-]*$/i;

const REPORTED =
  /\b(?:says?|said|shows?|shown|reads|contains?|contained|returns?|returned|prints?|printed|wrote|writes|written|documents?|documented|mentions?|looks? like|output was|response was)[\s:,(*_"'`–—-]*$/i;

/** A thing that is shown: "the contents of calls.json:", "this test case:", "the model should output:". */
const SHOWN =
  /\b(?:(?:the|this|that|its|an?|expected)(?: \w{1,20}){0,2} (?:output|contents?|fixture|test case|snippet|payload|reply|response)(?: (?:of|in|from|for) [^\s:]{1,60})?(?: (?:is|was))?|should (?:output|write|emit|produce|return|say|call)):$/i;

const DISCUSSED =
  /^[\s)\]"'`*_.,;:–—-]*(?:is|are|was|were|would|means?|meaning|which|where|as (?:above|shown|before)|and so on|and then the|(?:this|that|these|those|it) (?:is|are|was|were|would|means?|shows?|form|format|line|call|block|example|tag|text|snippet))\b/i;

const HEDGED =
  /\b(?:not|never|cannot|without|would|could|might|may|instead|rather|until|unless|before|after|if|once|when(?:ever)?|example|like|such as|means?|called|named|via|syntax|form|either|or|to end|role|model)\b|n['’]t\b|\be\.g/i;

const LIST_MARK = /^(?:[-*•#]|\d{1,3}[.)])\s{1,4}/;
/** Such as "Tool call:", also in bold. */
const LABEL = /^[*_`([]{0,4}(?:[A-Za-z][\w ]{0,24}[*_`]{0,3}:)?$/;

/** Nothing but marks and a short label stands before it. */
function isLabel(lead: string): boolean {
  if (lead.length > NEAR_CHARS) return false;
  return LABEL.test(withoutEnding(lead.trimStart().replace(LIST_MARK, ""), " \t*_`(["));
}

function near(before: string): string {
  return before.slice(-NEAR_CHARS).trimEnd();
}

/** A sentence that announces what its speaker does next. */
const ANNOUNCED =
  /\b(?:I(?:['’]ll| will| need to| am going to|['’]m going to)|let me|let us|let['’]s|calling|(?:tool|function) call)\b[^.!?]*[.!]?$/i;
const ABOUT_FORMS =
  /\b(?:not|never|would|later|forms?|formats?|syntax|schemas?|templates?|examples?|fixtures?|tests?|documents?|docs|describes?|mentions?|writes?|add|lines?|strings?|like|such)\b|n['’]t\b/i;

function announces(before: string): boolean {
  const sentence = ANNOUNCED.exec(near(before))?.[0];
  return sentence !== undefined && !ABOUT_FORMS.test(sentence);
}

/** Announced by the words before it, with a new sentence on a new line behind it. */
export function isAnnounced(before: string, after: string): boolean {
  return announces(before) && /^[ \t]{0,4}\r?\n\s{0,9}[A-Z*]/.test(after) &&
    !isDiscussed(before, after);
}

/** The words before it announce an example, or what someone else wrote. */
export function isQuoted(before: string): boolean {
  const words = near(before);
  return EXAMPLE.test(words) ||
    (REPORTED.test(words) || SHOWN.test(words)) && !announces(words);
}

/** A call between marks is meant, unless it is an example, or stands in a text that goes on about it. */
export function isDiscussed(before: string, after: string): boolean {
  const rest = after.slice(0, NEAR_CHARS).trim();
  if (rest === "") return EXAMPLE.test(near(before));
  const inSentence = /[\w,][ \t]{0,4}$/.test(before.slice(-8)) && /^[ \t]{0,4}[\w,;(]/.test(after);
  return inSentence || isQuoted(before) || DISCUSSED.test(rest);
}

/**
 * Whether a call without marks, at the end of a reply, is meant, judging by its line before it. In backticks
 * it must stand alone; bare it may end a sentence that neither doubts it nor speaks of another time.
 */
export function isMeant(lead: string): boolean {
  if (isLabel(lead)) return true;
  // `x = name(…)` and `x.name(…)` are code.
  if (/[\w.]$/.test(lead) || lead.trimEnd().endsWith("=")) return false;
  if ((lead.split("`").length - 1) % 2 === 1 || /["'“‘]$/.test(lead)) return false;
  const sentence = lead.slice(-NEAR_CHARS).split(/[.!?;:]\s/).at(-1)!;
  return !HEDGED.test(sentence);
}
