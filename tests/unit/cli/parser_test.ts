import assert from "node:assert/strict";
import type { CommandText } from "svc/cli/command.ts";
import {
  choice,
  database,
  many,
  number,
  on,
  otherwise,
  path,
  required,
  text,
  whole,
} from "svc/cli/flags.ts";
import { parse } from "svc/cli/parser.ts";
import { Failure } from "svc/core/failure.ts";

const COMMAND: CommandText = {
  about: "x",
  examples: [],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "dry-run"],
  flags: {
    repo: path("path", "repo"),
    installDir: text("folder", "folder"),
    level: otherwise(choice(["low", "high"], "level"), "low"),
    turns: whole("n", "turns", { min: 1, max: 50 }),
    changed: many(text("file", "files")),
    staged: on("staged"),
  },
  args: { role: required(text("role", "role")) },
  rest: { value: "command", about: "command" },
};

const read = async (...words: string[]) => (await parse("demo", COMMAND, words, "/cwd")).values;

async function refusal(command: CommandText, ...words: string[]): Promise<Failure> {
  const thrown = await parse("demo", command, words, "/cwd").then(() => undefined, (e) => e);
  assert.ok(thrown instanceof Failure, `expected a Failure, got ${thrown}`);
  assert.equal(thrown.code, "usage");
  assert.match(thrown.detail.remedy ?? "", /svc demo --help/);
  return thrown;
}

Deno.test("parse reads numbers with a fraction, and refuses those outside their bounds", async () => {
  const warmth = number("n", "warmth", { min: 0.01, max: 2 });
  const command: CommandText = { ...COMMAND, flags: { warmth }, args: {} };
  for (const [word, value] of [["0.25", 0.25], ["2", 2], ["1.0", 1]] as const) {
    const { values } = await parse("demo", command, ["--warmth", word], "/cwd");
    assert.equal(values["warmth"], value);
  }
  for (const word of ["0", "2.1", "warm", "1e0", "0x1", ".5", "NaN"]) {
    const { message } = await refusal(command, "--warmth", word);
    assert.match(message, /must be a number from 0.01 to 2/, word);
  }
});

Deno.test("parse reads every kind of flag, with = and without", async () => {
  assert.deepEqual(
    await read(
      "engineer",
      "--repo",
      "a/b",
      "--install-dir=/x y",
      "--level",
      "high",
      "--turns=7",
      "--changed",
      "one",
      "--changed",
      "two",
      "--staged",
      "--json",
    ),
    {
      role: "engineer",
      repo: "/cwd/a/b",
      installDir: "/x y",
      level: "high",
      turns: 7,
      changed: ["one", "two"],
      staged: true,
      json: true,
      dryRun: false,
      plain: false,
      yes: false,
    },
  );
});

Deno.test("parse takes a value of several lines, and one that starts with a dash behind =", async () => {
  assert.equal((await read("qa", "--install-dir=a\nb"))["installDir"], "a\nb");
  assert.equal((await read("qa", "--install-dir=-x"))["installDir"], "-x");
});

Deno.test("where a value begins with a dash, the refusal says how it is written", async () => {
  const way = 'A value that begins with a dash is written --install-dir="…".';
  for (const value of ["--json=1", "--json", "-x", "-rf"]) {
    const { detail } = await refusal(COMMAND, "qa", "--install-dir", value);
    assert.ok(detail.remedy?.startsWith(way), `${value}: ${detail.remedy}`);
  }
  const { detail } = await refusal(COMMAND, "qa", "--staged", "-x");
  assert.ok(!detail.remedy?.includes("begins with a dash"), detail.remedy);
});

Deno.test("parse fills in what is absent", async () => {
  const values = await read("qa");
  assert.deepEqual([values["level"], values["staged"], values["changed"], values["repo"]], [
    "low",
    false,
    [],
    undefined,
  ]);
});

Deno.test("parse keeps what follows -- untouched", async () => {
  const { values, rest } = await parse(
    "demo",
    COMMAND,
    ["qa", "--", "make", "--help", "--", "-x"],
    "/",
  );
  assert.equal(values["role"], "qa");
  assert.deepEqual(rest, ["make", "--help", "--", "-x"]);
});

const REFUSED: readonly (readonly [words: readonly string[], text: RegExp])[] = [
  [["qa", "--stagde"], /unknown flag "--stagde"/],
  [["qa", "--installDir", "x"], /unknown flag "--installDir"/],
  [["qa", "-x"], /unknown flag "-x"/],
  [["qa", "--level", "mid"], /--level "mid": must be one of low, high/],
  [["qa", "--turns", "0"], /--turns "0": must be a whole number from 1 to 50/],
  [["qa", "--turns", "1e1"], /must be a whole number/],
  [["qa", "--repo="], /--repo "": the value is empty/],
  [["qa", "--repo"], /flag "--repo" needs a value/],
  [["qa", "--repo", "--json"], /flag "--repo" needs a value, but "--json" follows it/],
  [["qa", "--repo", "a", "--repo", "b"], /flag "--repo" is given twice/],
  [["qa", "more"], /unexpected argument "more"/],
  [[], /argument <role> is missing/],
  [["qa", "--yes"], /unknown flag "--yes"/],
  [["qa", "--no-staged"], /unknown flag "--no-staged"/],
];
for (const [words, text] of REFUSED) {
  Deno.test(`parse refuses "${words.join(" ")}"`, async () => {
    assert.match((await refusal(COMMAND, ...words)).message, text);
  });
}

Deno.test("parse suggests the flag that was meant", async () => {
  const { detail } = await refusal(COMMAND, "qa", "--stagde");
  assert.match(detail.remedy!, /Did you mean "--staged"\?/);
});

Deno.test("parse names every required flag that is missing", async () => {
  const flags = { repo: required(path("path", "r")), name: required(text("name", "n")) };
  const { message } = await refusal({ ...COMMAND, flags, args: {} });
  assert.match(message, /--repo <path>, --name <name> is missing/);
});

Deno.test("parse names every argument that is missing, and of several faults the first", async () => {
  const args = { role: required(text("role", "r")), level: required(text("level", "l")) };
  const { message } = await refusal({ ...COMMAND, args });
  assert.match(message, /: arguments <role>, <level> are missing$/);
  const { message: one } = await refusal({ ...COMMAND, args }, "qa", "--turns", "0");
  assert.match(one, /: argument <level> is missing$/);
});

Deno.test("parse refuses words after -- where a command takes none", async () => {
  const { rest: _rest, ...command } = COMMAND;
  assert.match((await refusal(command, "qa", "--", "x")).message, /unexpected argument "x"/);
});

Deno.test("a path is told without the dots that were typed", async () => {
  const told = {
    ".": "/cwd/app",
    "./": "/cwd/app",
    "./web/.": "/cwd/app/web",
    "..": "/cwd",
    "./../other": "/cwd/other",
    "../..": "/",
    "../../../x": "/../x",
    "link/../x": "/cwd/app/link/../x",
    "out/": "/cwd/app/out/",
    "/srv/./app/.": "/srv/app",
    "/srv/../app": "/srv/../app",
    "/": "/",
    "...": "/cwd/app/...",
  };
  const seen = Object.keys(told).map(async (typed) => {
    const { values } = await parse("demo", COMMAND, ["role", "--repo", typed], "/cwd/app");
    return [typed, values["repo"]];
  });
  assert.deepEqual(Object.fromEntries(await Promise.all(seen)), told);
});

Deno.test("a home that no shell filled in, and a mistyped address, are no paths", async () => {
  const flags = { repo: path("path", "repo"), db: database("db") };
  const command: CommandText = { ...COMMAND, flags, args: {} };
  for (
    const [word, why] of [
      ["--repo=~/app", /the shell left "~" as it is: write "\$HOME\/app"/],
      ["--db=~", /write "\$HOME"/],
      ["--db=postgres:/a@b/c", /must be a path or postgres:\/\/<user>@<host>\/<database>/],
      ["--db=postgre://a@b/c", /must be a path or postgres:\/\/<user>@<host>\/<database>/],
      ["--repo=https://a.example/b", /must be a path/],
    ] as const
  ) {
    assert.match((await refusal(command, word)).message, why);
  }
  const { values } = await parse("demo", command, ["--repo", "./~/a", "--db", "~b"], "/cwd");
  assert.deepEqual([values["repo"], values["db"]], ["/cwd/~/a", "/cwd/~b"]);
});

Deno.test("a password in a mistyped address is not repeated", async () => {
  const command: CommandText = { ...COMMAND, flags: { db: database("db") }, args: {} };
  for (const scheme of ["postgresql+psycopg2://", "mysql://", "postgres:/", "postgres:"]) {
    const typed = `${scheme}ada:pa/ss@w@rd@db.example.org/svc`;
    for (const words of [["--db", typed], [typed]]) {
      const { message } = await refusal(command, ...words);
      assert.ok(message.includes(`"${scheme}…@db.example.org/svc"`), message);
      assert.doesNotMatch(message, /ada|pa\/ss|rd@/);
    }
  }
});
