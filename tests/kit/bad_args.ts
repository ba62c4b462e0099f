/** Arguments that a hostile or confused model would give to a tool; the same seed, the same arguments. */
import type { ToolDefinition } from "svc/features/tools/tool.ts";

/** Ways to write `.git` that some file system takes for it. */
export const GIT_SPELLINGS: readonly string[] = [
  ...[".git", ".GIT", ".Git", ".gIt", ".giT", ".GIt", ".gIT", ".GiT"],
  ...[".git.", ".git..", ".git ", ".git  ", ".git. ", ".git .", ".GIT."],
  ...["git~1", "GIT~1", "Git~1", "git~2", "GIT~9", "git~10"],
  ...[
    "\u200c",
    "\u200d",
    "\u200e",
    "\u200f",
    "\u202a",
    "\u202e",
    "\u206a",
    "\u206f",
    "\ufeff",
    "\u00ad",
  ]
    .flatMap((sign) => [`.g${sign}it`, `${sign}.git`, `.git${sign}`]),
  ...[
    ".g\u0131t",
    ".G\u0130T",
    ".\uff47\uff49\uff54",
    ".gi\u0301t",
    ".g\u0131\u0307t",
    "\uff0egit",
  ],
  ...[".git:$DATA", ".git::$INDEX_ALLOCATION", ".git:x", ".GIT::$INDEX_ALLOCATION"],
];

/** @param outside absolute path of a folder that no tool may reach */
function strings(outside: string): readonly string[] {
  const up = "../".repeat(20);
  return [
    ...[
      "",
      " ",
      ".",
      "..",
      "../",
      "../x",
      "a/../../x",
      "./../x",
      "/",
      "//",
      "/etc/passwd",
      "~",
      "~/x",
    ],
    ...[
      outside,
      `${outside}/secret`,
      `${up}${outside.slice(1)}/secret`,
      `file://${outside}/secret`,
    ],
    ...[
      `/proc/self/root${outside}/secret`,
      "/proc/self/cwd/a.txt",
      "/proc/self/environ",
      "/dev/null",
    ],
    ...["/dev/stdin", "proc/self/root", "a\0b", "a\nb", "a\rb", "a\x1b[31mb", "\ud800", "a\u202eb"],
    ...[
      "link/secret",
      "link",
      "self/a.txt",
      "fifo",
      "twin",
      "device",
      "dir",
      "dir/",
      "a.txt",
      "a.txt/",
    ],
    ...["a.txt/x", "missing", "n".repeat(300), "n/".repeat(3000), "x".repeat(100_000)],
    ...[
      "-rf",
      "--help",
      "--output=/tmp/x",
      "--upload-pack=touch x",
      "-O/bin/sh",
      "--open-files-in-pager",
    ],
    ...[
      "ext::sh -c x",
      ":(exclude)*",
      ":/",
      ":!a",
      "@{-1}",
      "HEAD",
      "HEAD..x",
      "main:a.txt",
      "^x",
      "*",
    ],
    ...[
      "$(touch x)",
      "`touch x`",
      "; touch x",
      "| touch x",
      "&& touch x",
      "a'b",
      'a"b',
      "%s%n",
      "\\",
    ],
    ...[
      "(",
      "[",
      "(a+)+$",
      "a{1000000}",
      "(*UTF)x",
      "(?C1)x",
      "\\Q",
      "{a,b}".repeat(30),
      "**/".repeat(300),
    ],
    ...[
      ".harness/.env.local",
      ".harness/manifest.yaml",
      "docs/tickets/backlog/x.md",
      ".gitmodules",
    ],
    ...[".github/workflows/x.yml", ".gitattributes", ".envrc", "… existing code …", "[redacted]"],
    ...GIT_SPELLINGS.flatMap((git) => [`${git}/config`, `${git}/hooks/pre-commit`, `dir/${git}/x`]),
  ];
}

const ODD: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 2, 1.5, 1e308, -1e308, 9007199254740993, [], {}, [[]], [null]],
  ...[{ toString: "x" }, { then: "x" }, ["a", 1], { length: 1e9 }, "1", "true", "null", "NaN"],
];

/** Whole arguments that are no object of fields. */
const WHOLE: readonly unknown[] = [
  ...[
    "",
    " ",
    "{",
    "}",
    "[]",
    "null",
    "1",
    '"x"',
    "{]",
    '{"a":}',
    '{"path": "a.txt",}',
    "{'path': 'a'}",
  ],
  ...['{"__proto__": {"path": "a.txt"}}', '{"constructor": 1}', "[".repeat(10_000), "\ud800"],
  ...[undefined, null, 1, true, [], [1], "```json\n{}\n```"],
];

/** As in Numerical Recipes; good enough to choose from a list. */
function dice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * sides);
  };
}

interface Field {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Field;
}

export interface BadArgsPlan {
  readonly definition: ToolDefinition;
  readonly count: number;
  readonly seed: number;
  /** Absolute path of a folder beside the repo, with a file "secret". */
  readonly outside: string;
}

/**
 * Most have the right shape and a hostile value, so that they reach the tool; the rest are wrong in
 * shape, or no JSON. Some give JSON text, as a model does, and some a form that svc repairs.
 */
export function* badArgs({ definition, count, seed, outside }: BadArgsPlan): Generator<unknown> {
  const roll = dice(seed);
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)]!;
  const pool = strings(outside);
  const { properties = {}, required = [] } = definition.function.parameters;
  const fields = Object.entries(properties as Record<string, Field>);

  function value({ type, enum: choices, items }: Field): unknown {
    if (roll(12) === 0) return pick(ODD);
    if (choices !== undefined && roll(4) > 0) return pick(choices);
    if (type === "integer" || type === "number") return pick([0, 1, 2, 3, 100, 1e6, -1]);
    if (type === "boolean") return roll(2) === 0;
    if (type === "array") return Array.from({ length: roll(4) }, () => value(items ?? {}));
    return pick(pool);
  }

  /** Mostly as it should be; else in a form that is repaired, so that a repair opens no way out. */
  function written(args: Record<string, unknown>): unknown {
    const json = JSON.stringify(args);
    switch (roll(12)) {
      case 0:
        return JSON.stringify(json);
      case 1:
        return { arguments: roll(2) === 0 ? args : json };
      case 2:
        return `${json.slice(0, -1)},}`;
      case 3:
        return json.replace('"path":', '"file_path":').replace('"content":', '"file_text":');
      case 4:
        return json.replaceAll('"path":"', `"path":"${outside}/../`);
      default:
        return roll(3) === 0 ? json : args;
    }
  }

  for (let made = 0; made < count; made++) {
    if (roll(15) === 0) {
      yield pick(WHOLE);
      continue;
    }
    const needed = required as readonly string[];
    const args = Object.fromEntries([
      ...fields.filter(([name]) => roll(needed.includes(name) ? 20 : 2) > 0)
        .map(([name, field]) => [name, value(field)]),
      ...(roll(20) === 0 ? [[pick(pool), pick(ODD)]] : []),
    ]);
    yield written(args);
  }
}

/** Every path below a folder with kind, mode, size and content: equal when nothing was changed. */
export async function treeHash(folder: string): Promise<string> {
  const lines: string[] = [];
  async function visit(path: string): Promise<void> {
    const entries = Array.from(Deno.readDirSync(path)).sort((a, b) => a.name < b.name ? -1 : 1);
    for (const { name } of entries) {
      const here = `${path}/${name}`;
      const info = Deno.lstatSync(here);
      const content = info.isFile ? await Deno.readFile(here) : new Uint8Array();
      const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex();
      const link = info.isSymlink ? Deno.readLinkSync(here) : "";
      lines.push([here, info.mode, info.isFile ? info.size : 0, link, digest].join(" "));
      if (info.isDirectory) await visit(here);
    }
  }
  await visit(folder);
  const all = new TextEncoder().encode(lines.join("\n"));
  return new Uint8Array(await crypto.subtle.digest("SHA-256", all)).toHex();
}
