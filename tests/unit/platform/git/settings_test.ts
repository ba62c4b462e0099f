/** What is told of settings from one list, beside what git 2.39 of Debian answers to each question. */
import assert from "node:assert/strict";
import { configAnswer, LIST_SETTINGS, settingsListed } from "svc/platform/git/settings.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";

async function gitSays(cwd: string, args: readonly string[]) {
  const command = new Deno.Command("git", {
    args: [...args],
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH")!,
      HOME: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      // Settings of the caller come last, and are none of the repo.
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.pager",
      GIT_CONFIG_VALUE_0: "cat",
    },
  });
  const { code, stdout } = await command.output();
  return { code, stdout };
}

const SHARED = `[core]
	fileMode = False
	hooksPath = first
	HooksPath = "second # with a mark"
	pager = less
[extensions]
	worktreeConfig = true
[user]
	name = "Zo\\"e\\n\\tB"
	email =
	nameless = x
[a "B.c D"]
	Flag
	flag = on
	empty =
[a "b.c d"]
	flag = nonsense
[n]
	one = 1
	zero = 0
	two = 2
	big = 1k
	yes = YES
	off = oFF
	bare
	blank = ""
	blank2 =
	bytes = \xff\xfe
`;
const OWN = `[core]
	hooksPath = of the tree
	fileMode = true
[user]
	name = Tree
`;

const KEYS = [
  ...["core.fileMode", "core.hooksPath", "CORE.HOOKSPATH", "core.pager", "core.none", "user.name"],
  ...["user.email", "a.B.c D.flag", "a.b.c d.FLAG", "A.B.c D.empty", "a.B.C D.flag", "n.one"],
  ...["n.zero", "n.two", "n.big", "n.yes", "n.off", "n.bare", "n.blank", "n.blank2", "n.bytes"],
];
const PATTERNS = [
  "^user\\.(name|email)$",
  "^n\\.(bare|blank|bytes)$",
  "^core\\.none$",
  "^a\\.B.c.*$",
];

function* questions(): Generator<string[]> {
  for (const local of [[], ["--local"]]) {
    for (const key of KEYS) {
      for (const end of [[], ["-z"]]) {
        yield ["config", ...local, "--includes", ...end, "--get", key];
        yield ["config", ...local, ...end, "--type=bool", "--get", key];
      }
    }
    for (const pattern of PATTERNS) yield ["config", ...local, "-z", "--get-regexp", pattern];
  }
}

Deno.test("each answer from the list of settings is git's own, byte for byte, or left to git", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const latin1 = Uint8Array.from(SHARED, (character) => character.charCodeAt(0));
  const config = `${repo.path}/.git/config`;
  await Deno.writeFile(config, latin1, { append: true });
  await Deno.writeTextFile(`${repo.path}/.git/config.worktree`, OWN);
  const { stdout } = await gitSays(repo.path, LIST_SETTINGS);
  const settings = settingsListed(stdout);
  const left: string[] = [];
  let told = 0;
  for (const args of questions()) {
    const real = await gitSays(repo.path, args);
    const ours = configAnswer(settings, args);
    const asked = args.join(" ");
    if (ours === undefined) {
      left.push(asked);
      continue;
    }
    told++;
    assert.equal(real.code, ours.length === 0 ? 1 : 0, asked);
    assert.deepEqual(ours, real.stdout, asked);
  }
  // Numbers that are neither 0 nor 1, what is no boolean, and patterns that mean more than a list of names.
  assert.ok(left.every((asked) => /--type=bool|\*\$/.test(asked)), left.join("\n"));
  assert.ok(told > 140, `${told} of ${told + left.length}`);
});

Deno.test("a question in another form is left to git", () => {
  const settings = settingsListed(new TextEncoder().encode("local\0core.bare\nfalse\0"));
  const asked = (...args: string[]) => configAnswer(settings, ["config", ...args]);
  assert.equal(new TextDecoder().decode(asked("--get", "core.bare")), "false\n");
  for (
    const args of [
      ["--type=path", "--get", "core.bare"],
      ["--global", "--get", "core.bare"],
      ["--get-all", "core.bare"],
      ["--get", "core.bare", "^f"],
      ["--get-regexp", "^core\\.bare$"],
      ["-z", "--get-regexp", "^core\\.\\w+$"],
      ["-z", "--get-regexp", "core"],
      ["--list"],
      ["core.bare", "true"],
      ["core.bare"],
      [],
    ]
  ) assert.equal(asked(...args), undefined, args.join(" "));
});
