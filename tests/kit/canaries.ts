/** One made-up secret of every rule, and the search for it in whatever was printed or written. */
import assert from "node:assert/strict";
import { allRules } from "svc/features/guardrails/all_rules.ts";
import { scanText } from "svc/features/guardrails/scan_text.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

export interface Canary {
  readonly rule: string;
  readonly kind: string;
  /** A line that holds the value as people write it. */
  readonly line: string;
  readonly value: string;
}

const rules = allRules();

export const CANARIES: readonly Canary[] = secretRules().flatMap((rule, at) => {
  const line = rule.examples(new Draw(7000 + at))[0]!;
  const { hits } = scanText(line, rules, { now: () => 0 });
  const value = hits[0]?.secret;
  return value === undefined ? [] : [{ rule: rule.id, kind: rule.kind, line, value }];
});

/** Contents of all files by path; links are not followed. */
export async function filesBelow(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) { for (const [at, text] of await filesBelow(path)) found.set(at, text); }
    else if (isFile) found.set(path, new TextDecoder("latin1").decode(await Deno.readFile(path)));
  }
  return found;
}

export function assertAbsent(canary: Canary, output: string, where: string): void {
  const { rule, value } = canary;
  for (const form of [value, btoa(String.fromCharCode(...new TextEncoder().encode(value)))]) {
    const at = output.indexOf(form);
    const before = output.slice(Math.max(0, at - 40), at);
    assert.equal(at, -1, `${rule} shows in ${where}: …${before}`);
  }
}
