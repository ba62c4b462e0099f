/**
 * Vectors in the manner of other scanners: every rule's own examples in each way of writing a name and
 * a value that gitleaks' generator knows (its cmd/generate/config/utils/generate.go names the forms;
 * nothing of it is here), and the kinds that such a generator writes by itself.
 */
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";

export interface Vector {
  /** What is counted together: a way of writing, or a kind. */
  readonly group: string;
  readonly rule: string;
  readonly kind: "structured" | "context" | "generic";
  readonly path: string;
  readonly text: string;
}

type Writing = (name: string, value: string) => string;

const camel = (name: string) =>
  name.toLowerCase().replace(/[_-]+(\w)/g, (_, letter: string) => letter.toUpperCase());

const WRITINGS: Readonly<Record<string, readonly [path: string, write: Writing]>> = {
  "ini, quoted": ["a.ini", (n, v) => `${n} = "${v}"`],
  "ini, bare": ["a.ini", (n, v) => `${n}=${v}`],
  "json": ["a.json", (n, v) => `{\n  "${n}": "${v}"\n}`],
  "json, escaped": ["a.json", (n, v) => JSON.stringify(JSON.stringify({ [n]: v }))],
  "json, key and value": ["a.json", (n, v) => JSON.stringify([{ name: n, value: v }])],
  "xml": ["a.xml", (n, v) => `<${camel(n)}>${v}</${camel(n)}>`],
  "xml, lines": ["a.xml", (n, v) => `<${camel(n)}>\n    ${v}\n</${camel(n)}>`],
  "xml, attribute": ["a.xml", (n, v) => `<entry name="${n}" value="${v}" />`],
  "yaml": ["a.yaml", (n, v) => `${n}: ${v}`],
  "yaml, quoted": ["a.yaml", (n, v) => `${n}: '${v}'`],
  "yaml, literal": ["a.yaml", (n, v) => `${n}: |\n  ${v}\n`],
  "yaml, folded": ["a.yaml", (n, v) => `${n}: >\n  ${v}\n`],
  "c#": ["a.cs", (n, v) => `string ${camel(n)} = "${v}";`],
  "go": ["a.go", (n, v) => `var ${camel(n)} string = "${v}"`],
  "go, short": ["a.go", (n, v) => `${camel(n)} := \`${v}\``],
  "java": ["A.java", (n, v) => `String ${camel(n)} = "${v}";`],
  "kotlin": ["a.kt", (n, v) => `var ${camel(n)}: String = "${v}"`],
  "php, appended": ["a.php", (n, v) => `$${camel(n)} .= "${v}";`],
  "php, coalesced": ["a.php", (n, v) => `$${camel(n)} ??= "${v}";`],
  "python": ["a.py", (n, v) => `${n.toLowerCase()} = '${v}'`],
  "logstash": ["a.conf", (n, v) => `  "${n}" => "${v}"`],
  "csv": ["a.csv", (n, v) => `${n},${v},`],
  "make": ["Makefile", (n, v) => `${n} = ${v}`],
  "make, simple": ["Makefile", (n, v) => `${n} := "${v}"`],
  "make, posix": ["Makefile", (n, v) => `${n} ::= "${v}"`],
  "make, immediate": ["Makefile", (n, v) => `${n} :::= "${v}"`],
  "make, when unset": ["Makefile", (n, v) => `${n} ?= "${v}"`],
  "make, appended": ["Makefile", (n, v) => `${n} += "${v}"`],
};

/** `NAME=value` of a named rule's first example; other examples stand as they are. */
function pairOf(example: string): readonly [name: string, value: string] | undefined {
  const found = example.match(/^([A-Za-z][\w-]{2,60})=(\S+)$/);
  return found === null ? undefined : [found[1]!, found[2]!];
}

/** @param rounds secrets for each rule and way */
export function vectors(seed: number, rounds: number): Vector[] {
  const all: Vector[] = [];
  for (const [at, rule] of secretRules().entries()) {
    const draw = new Draw(seed * 1000 + at);
    for (let round = 0; round < rounds; round++) {
      const examples = rule.examples(draw);
      for (const text of examples) {
        all.push({ group: "as it is", rule: rule.id, kind: rule.kind, path: "a.yaml", text });
      }
      const [first = ""] = examples;
      const pair = pairOf(first) ??
        (rule.kind === "structured" && /^[\w.~+/=-]+$/.test(first)
          ? ["API_TOKEN", first]
          : undefined);
      if (pair === undefined) continue;
      for (const [group, [path, write]] of Object.entries(WRITINGS)) {
        const text = write(pair[0]!, pair[1]!);
        all.push({ group, rule: rule.id, kind: rule.kind, path, text });
      }
    }
  }
  return all;
}
