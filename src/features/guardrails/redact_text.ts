/** Redacts secrets by their shape in logs and in everything that is shown. */
import { allRules } from "./all_rules.ts";
import { scanText } from "./scan_text.ts";

/**
 * No structured secret without a match: a token-like run, a login in a URL, or what stands before a short value, a
 * divided one or a key's armor.
 */
const MAY_HOLD =
  /(?<![\w+=\-])(?=[A-Za-z_+=\-]{0,300}(?:\d|[a-z][A-Z]+[a-z]+[A-Z]|[A-Z]{16}))[\w+=\-]{16}|:\\?\/\\?\/[^\s/]{0,80}:|%(?:25)?2[Ff]%(?:25)?2[Ff]|-----BEGIN|npg_|hf_|gl[a-z]{2,6}-\w|rzp_|sm_[a-z]{3}_|(?:KEY|SALT)['"]|[Pp]assw|PASSW|[Pp]wd|PWD|[Bb]asic\s|BASIC\s|:(?:\d{4}|\*):[\w*-]|jdbc:oracle|hooks\.slack|[Pp](?:rivate|reshared)_?[Kk]ey/;

/** Known shapes alone: generic rules would redact words of logs. Ignores `svc:allow`. Never throws. */
export function redactSecrets(text: string): string {
  if (!MAY_HOLD.test(text)) return text;
  const { hits } = scanText(text, allRules(), { now: () => 0, allow: false, shapesOnly: true });
  if (hits.length === 0) return text;
  let out = "";
  let last = 0;
  for (const { start, end, rule } of hits) {
    out += `${text.slice(last, start)}[redacted:${rule.id}]`;
    last = end;
  }
  return out + text.slice(last);
}
