/** Every rule, compiled when a text is first searched. */
import { keywordTable } from "./keywords.gen.ts";
import { type RuleSet, ruleSet } from "./scan_text.ts";
import { secretRules } from "./secret_rules/all.ts";

let compiled: RuleSet | undefined;

export function allRules(): RuleSet {
  return compiled ??= ruleSet(secretRules(), keywordTable());
}
