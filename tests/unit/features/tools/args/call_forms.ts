/** Right arguments of a tool, and the ways in which models write them otherwise. */
import fc from "fast-check";
import { OTHER_KEYS } from "svc/features/tools/args/other_keys.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import type { AnyTool } from "svc/features/tools/tool.ts";

type Args = Readonly<Record<string, unknown>>;

interface Field {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly items?: Field;
  readonly minimum?: number;
  readonly maximum?: number;
}

function fieldsOf(tool: AnyTool): Readonly<Record<string, Field>> {
  return definitionOf(tool).function.parameters["properties"] as Record<string, Field>;
}

const words = fc.constantFrom(
  "npm",
  "test",
  "-r",
  "a b",
  "it's",
  'say "x"',
  "C:\\d",
  "é",
  "$HOME",
  "x=1",
);

/** Fields that a tool reads by a pattern of its own. */
const SPECIAL: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  path: fc.constantFrom("src/a.ts", "a b/c.txt", "src"),
  cwd: fc.constantFrom(".", "src"),
  paths: fc.array(fc.constantFrom("src", "a.txt"), { minLength: 1, maxLength: 3 }),
  name: fc.constantFrom("repo_format", "repo_x"),
  argv: fc.tuple(
    fc.constantFrom("npm", "deno", "./run it"),
    fc.array(words, { minLength: 1, maxLength: 3 }),
  ).map(([program, rest]) => [program, ...rest]),
  args: fc.array(fc.constantFrom("path: string = File", "n?: integer"), {
    minLength: 1,
    maxLength: 1,
  }),
};

/** Texts that mean something, and none that stands for a field left out. */
const text = fc.oneof(
  words,
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.constantFrom("one\ntwo\n", "{}", "[1", "\\d+"),
)
  .filter((one) => one.trim() !== "" && !/^(?:none|null|undefined|nil)$/i.test(one));

function valueOf(
  name: string,
  { type, enum: choices, items, minimum = 1, maximum = 99 }: Field,
): fc.Arbitrary<unknown> {
  if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name]!;
  if (choices !== undefined) return fc.constantFrom(...choices);
  if (type === "integer") return fc.integer({ min: minimum, max: maximum });
  if (type === "boolean") return fc.boolean();
  if (type === "array") return fc.array(valueOf("", items!), { minLength: 1, maxLength: 3 });
  return text;
}

export function validArgs(tool: AnyTool): fc.Arbitrary<Args> {
  const required = (definitionOf(tool).function.parameters["required"] ?? []) as readonly string[];
  const fields = Object.entries(fieldsOf(tool)).filter(([name]) =>
    name !== "command" && name !== "shell"
  );
  return fc.record(
    Object.fromEntries(fields.map(([name, field]) => [name, valueOf(name, field)])),
    { requiredKeys: tool.name === "command_run" ? ["argv"] : [...required], noNullPrototype: true },
  );
}

const camel = (key: string) => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const kebab = (key: string) => key.replaceAll("_", "-");

function renamed(args: Args, by: (key: string) => string): Args {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [by(key), value]));
}

function python(value: unknown): string {
  if (typeof value === "string") {
    const inner = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
    return `'${inner}'`;
  }
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object" || value === null) return String(value);
  return `{${
    Object.entries(value).map(([key, inner]) => `${python(key)}: ${python(inner)}`).join(", ")
  }}`;
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

function* otherKeys(tool: AnyTool, args: Args): Generator<readonly [string, unknown]> {
  for (const [ours, names] of Object.entries(OTHER_KEYS[tool.name] ?? {})) {
    if (!Object.hasOwn(args, ours)) continue;
    for (const name of names.split(" ")) {
      yield [
        name,
        renamed(args, (key) => key === ours ? name : key),
      ];
    }
  }
}

function* types(tool: AnyTool, args: Args, root: string): Generator<readonly [string, unknown]> {
  const fields = fieldsOf(tool);
  const each = (change: (value: unknown, key: string, field: Field) => unknown) =>
    Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, change(value, key, fields[key]!)]),
    );
  yield ["numbers as text", each((value) => typeof value === "number" ? String(value) : value)];
  yield ["switches as text", each((value) => typeof value === "boolean" ? String(value) : value)];
  yield ["switches of Python", each((value) => typeof value === "boolean" ? python(value) : value)];
  yield [
    "choices in capitals",
    each((value, _, field) => field.enum ? String(value).toUpperCase() : value),
  ];
  yield ["lists as JSON", each((value) => Array.isArray(value) ? JSON.stringify(value) : value)];
  yield ["lists of Python", each((value) => Array.isArray(value) ? python(value) : value)];
  const short = (value: unknown): value is [string] => Array.isArray(value) && value.length === 1;
  yield [
    "one for a list",
    each((value) => short(value) && !value[0].startsWith("[") ? value[0] : value),
  ];
  if (!tool.name.startsWith("repo_")) {
    yield [
      "whole paths",
      each((value, key) => {
        if (key === "paths") return (value as string[]).map((one) => `${root}/${one}`);
        return key === "path" || key === "cwd" ? value === "." ? root : `${root}/${value}` : value;
      }),
    ];
  }
  const left = Object.entries(fields).filter(([key, { type }]) =>
    !Object.hasOwn(args, key) && type !== "array" && key !== "stdin"
  );
  for (const nothing of [null, "", "None", "null"]) {
    yield ["nothing for a field", {
      ...args,
      ...Object.fromEntries(left.map(([key]) => [key, nothing])),
    }];
  }
}

function* texts(tool: AnyTool, args: Args): Generator<readonly [string, unknown]> {
  const json = JSON.stringify(args);
  yield ["JSON", json];
  yield ["encoded twice", JSON.stringify(json)];
  yield ["a fence", `\`\`\`json\n${JSON.stringify(args, null, 2)}\n\`\`\``];
  yield ["a comment", `// the call\n${json}`];
  yield ["Python", python(args)];
  yield ["new lines in texts", json.replaceAll(/(?<!\\)((?:\\\\)*)\\n/g, "$1\n")];
  yield ["a tag behind", `${json}</tool_call>`];
  yield ["a brace too many", `${json}}`];
  if (Object.keys(args).length > 0) {
    yield ["a comma behind", `${json.slice(0, -1)},}`];
    yield ["no last brace", json.slice(0, -1)];
  }
  for (
    const key of [
      "arguments",
      "input",
      "parameters",
      "params",
      "properties",
      "kwargs",
      "tool_input",
    ]
  ) {
    if (Object.hasOwn(fieldsOf(tool), key)) continue;
    yield ["a wrapper", { [key]: args }];
    yield ["a wrapper of text", { [key]: json }];
    yield [
      "a whole call",
      JSON.stringify({ type: "function", name: `functions.${tool.name}`, [key]: args }),
    ];
  }
}

function* lines(args: Args): Generator<readonly [string, unknown]> {
  const { argv, ...rest } = args as { readonly argv: readonly string[] };
  const line = argv.map(quoted).join(" ");
  yield ["a line", { ...rest, command: line }];
  yield ["a line as argv", { ...rest, argv: line }];
  yield ["a line in a list", { ...rest, argv: [line] }];
  yield ["cmd", { ...rest, cmd: line }];
  yield ["words as command", { ...rest, command: argv }];
  yield ["both", { ...rest, argv, command: line }];
  yield ["both streams", { ...rest, command: `${line} 2>&1` }];
  if (/^\S+$/.test(argv[0]!)) {
    yield ["program and args", { ...rest, command: argv[0], args: argv.slice(1) }];
  }
}

/** Each means what `args` mean. */
export function* mutations(
  tool: AnyTool,
  args: Args,
  root: string,
): Generator<readonly [string, unknown]> {
  yield ["camel case", renamed(args, camel)];
  yield ["kebab case", renamed(args, kebab)];
  yield ["capitals", renamed(args, (key) => key.toUpperCase())];
  yield ["commentary", { ...args, explanation: "why", requires_approval: false }];
  yield* otherKeys(tool, args);
  yield* types(tool, args, root);
  yield* texts(tool, args);
  if (tool.name === "command_run") yield* lines(args);
}
