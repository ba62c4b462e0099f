/** Starts every shell as its user would, and looks whether it finds svc after `svc path setup`. */
import assert from "node:assert/strict";
import { svcCommand, treeHash } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

/** Every sign in it means something to some shell. */
const ODD_NAME = `Ada's "own" bin, $HOME \`id\` !x [a]*? \\t #~;&`;

/** Stands for svc: says where it was found. */
const FAKE = `#!/bin/sh\nprintf 'found %s\\n' "$0"\n`;

type Words = readonly [string, ...string[]];

/** csh and tcsh are login shells when their name says so: no flag beside -c makes them one. */
const asLogin = (shell: string): Words => [
  "bash",
  "--norc",
  "-c",
  `exec -a -${shell} ${shell} -c svc`,
];

/** Ways to start each shell so that it reads its files and then runs `svc`. */
const STARTS = {
  bash: [["bash", "-lc", "svc"], ["bash", "-ic", "svc"], ["bash", "-lic", "svc"]],
  zsh: [["zsh", "-lc", "svc"], ["zsh", "-ic", "svc"], ["zsh", "-lic", "svc"]],
  fish: [["fish", "-lc", "svc"], ["fish", "-ic", "svc"]],
  sh: [["dash", "-lc", "svc"], ["dash", "-ic", "svc"]],
  ksh: [["ksh", "-lc", "svc"], ["ksh", "-ic", "svc"], ["ksh", "-lic", "svc"]],
  csh: [asLogin("csh"), ["csh", "-c", "svc"]],
  tcsh: [asLogin("tcsh"), ["tcsh", "-c", "svc"]],
} as const satisfies Readonly<Record<string, readonly Words[]>>;
type Shell = keyof typeof STARTS;

interface User extends AsyncDisposable {
  readonly home: string;
  /** Holds a program named svc. */
  readonly bin: string;
  readonly env: Record<string, string>;
  write(file: string, content: string): Promise<void>;
  read(file: string): Promise<string>;
  /** Ends with whatever status; gives standard output and error. */
  run(words: Words): Promise<{ code: number; stdout: string; stderr: string }>;
  /** `svc path setup` with the flags, which must succeed; gives its output. */
  setup(...flags: string[]): Promise<string>;
}

/** Somebody with an empty home. */
async function newUser(bin = `home/${ODD_NAME}`): Promise<User> {
  const folder = await tempFolder();
  const home = `${folder.path}/home`;
  await Deno.mkdir(home);
  await folder.write(`${bin}/svc`, FAKE, { executable: true });
  const env: Record<string, string> = {
    PATH: "/usr/bin:/bin",
    HOME: home,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    LANG: "C.UTF-8",
    TERM: "dumb",
  };
  const run = async ([program, ...args]: Words) => {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      env,
      clearEnv: true,
      cwd: home,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  return {
    home,
    bin: `${folder.path}/${bin}`,
    env,
    write: (file, content) => folder.write(`home/${file}`, content),
    read: (file) => folder.read(`home/${file}`),
    run,
    async setup(...flags) {
      const { code, stdout, stderr } = await run([...svcCommand(), "path", "setup", ...flags]);
      assert.equal(code, 0, stderr);
      return stdout;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

async function programs(): Promise<ReadonlySet<string>> {
  const folders = ["/usr/bin", "/bin"].map((path) => Array.fromAsync(Deno.readDir(path)));
  return new Set((await Promise.all(folders)).flat().map(({ name }) => name));
}
const INSTALLED = await programs();

/** Test options: ignored, with the reason printed, where a shell is not installed. */
function needs(...shells: readonly string[]): { ignore: boolean } {
  const missing = shells.filter((shell) => !INSTALLED.has(shell));
  if (missing.length > 0) {
    console.warn(`tests are ignored: ${missing.join(", ")} not installed; try: tools/programs.sh`);
  }
  return { ignore: missing.length > 0 };
}

async function found(user: User, start: Words): Promise<string | undefined> {
  const { stdout } = await user.run(start);
  return stdout.split("\n").find((line) => line.startsWith("found "))?.slice("found ".length);
}

/** Before: no start of the shell finds the program; after: every one does. */
async function proveFinding(user: User, shell: Shell): Promise<void> {
  const program = `${user.bin}/svc`;
  for (const start of STARTS[shell]) assert.notEqual(await found(user, start), program);
  await user.setup("--shell", shell, "--install-dir", user.bin);
  for (const start of STARTS[shell]) assert.equal(await found(user, start), program, `${start}`);
}

async function prove(shell: Shell): Promise<void> {
  await using inHome = await newUser();
  await using elsewhere = await newUser(ODD_NAME);
  for (const user of [inHome, elsewhere]) {
    // Interactive sh reads the file that ENV names, and none without it.
    if (shell === "sh") user.env["ENV"] = `${user.home}/.shrc`;
    await proveFinding(user, shell);
  }
}

verifies("4.5:path-setup:bash", "bash finds svc", needs("bash"), () => prove("bash"));
verifies("4.5:path-setup:zsh", "zsh finds svc", needs("zsh"), () => prove("zsh"));
verifies("4.5:path-setup:fish", "fish finds svc", needs("fish"), () => prove("fish"));
verifies("4.5:path-setup:posix-sh", "sh and ksh find svc", needs("dash", "ksh"), async () => {
  await prove("sh");
  await prove("ksh");
});
verifies("4.5:path-setup:csh", "csh finds svc", needs("csh"), () => prove("csh"));
verifies("4.5:path-setup:tcsh", "tcsh finds svc", needs("tcsh"), () => prove("tcsh"));

const every = needs("bash", "zsh", "fish", "dash", "ksh", "csh", "tcsh");

/** A file of each shell that is read in both ways, or at least interactively. */
const FILES: Readonly<Record<Shell, string>> = {
  bash: ".bashrc",
  zsh: ".zshrc",
  fish: ".config/fish/conf.d/svc.fish",
  sh: ".profile",
  ksh: ".kshrc",
  csh: ".cshrc",
  tcsh: ".tcshrc",
};

Deno.test("every shell finds svc by a block with CRLF line ends", every, async () => {
  for (const shell of Object.keys(FILES) as Shell[]) {
    await using user = await newUser();
    await user.write(FILES[shell], "# mine\r\n");
    await user.setup("--shell", shell, "--install-dir", user.bin);
    assert.doesNotMatch(await user.read(FILES[shell]), /[^\r]\n/);
    const start = STARTS[shell][shell === "sh" ? 0 : 1];
    assert.equal(await found(user, start), `${user.bin}/svc`, shell);
  }
});

verifies(
  ["4.5:path-setup:idempotent", "4.5:path-setup:install-dir"],
  "path setup changes nothing twice, and follows a moved folder",
  async () => {
    await using user = await newUser();
    const flags = ["--shell", "bash", "--install-dir"];
    await user.setup(...flags, user.bin);
    const once = await treeHash(user.home);
    assert.match(await user.setup(...flags, user.bin), /^PATH block already in /m);
    assert.equal(await treeHash(user.home), once);

    const moved = `${user.home}/moved`;
    await Deno.rename(user.bin, moved);
    assert.match(await user.setup(...flags, `${moved}/`), /^PATH block updated in /m);
    for (const start of STARTS.bash) assert.equal(await found(user, start), `${moved}/svc`);
    assert.doesNotMatch(await user.read(".bashrc"), /Ada/);
  },
);

Deno.test("bash with Debian's files has the folder on PATH once, however deep", async () => {
  await using user = await newUser("home/.local/bin");
  for (const file of [".bashrc", ".profile"]) {
    await Deno.copyFile(`/etc/skel/${file}`, `${user.home}/${file}`);
  }
  await user.write(".bash_profile", ". ~/.profile\n. ~/.bashrc\n");
  await user.setup("--shell", "bash");
  const { stdout } = await user.run(["bash", "-lic", `bash -ic 'echo "path:$PATH:"'`]);
  assert.equal(stdout.match(/^path:.*$/m)![0].split(`:${user.bin}:`).length, 2, stdout);
});

Deno.test(
  "zsh and fish find svc where their folders were moved",
  needs("zsh", "fish"),
  async () => {
    await using user = await newUser();
    Object.assign(user.env, {
      ZDOTDIR: `${user.home}/z dot`,
      XDG_CONFIG_HOME: `${user.home}/conf`,
    });
    await proveFinding(user, "zsh");
    await proveFinding(user, "fish");
    const entries = (await Array.fromAsync(Deno.readDir(user.home))).map(({ name }) => name);
    assert.ok(!entries.includes(".zshrc") && !entries.includes(".config"), `${entries}`);
  },
);

Deno.test("csh that is tcsh finds svc when there is a .tcshrc", needs("csh", "tcsh"), async () => {
  await using user = await newUser();
  await user.write(".tcshrc", "set backslash_quote\n");
  await proveFinding(user, "csh");
});

Deno.test("mksh finds svc", needs("mksh"), async () => {
  await using user = await newUser();
  user.env["SHELL"] = "/bin/mksh";
  await user.setup("--install-dir", user.bin);
  for (const flag of ["-lc", "-ic"]) {
    assert.equal(await found(user, ["mksh", flag, "svc"]), `${user.bin}/svc`);
  }
});

verifies("4.5:path-setup:shell", "--shell changes that shell's files only", async () => {
  await using user = await newUser();
  user.env["SHELL"] = "/bin/bash";
  const files = [...Object.values(FILES), ".bash_profile", ".zprofile"];
  for (const file of files) await user.write(file, "# mine\n");
  await user.setup("--shell", "zsh");
  const changed = await Promise.all(
    files.map(async (file) => await user.read(file) !== "# mine\n"),
  );
  assert.deepEqual(files.filter((_, at) => changed[at]), [".zshrc", ".zprofile"]);
});

verifies("4.5:path-setup:dry-run", "--dry-run shows the diff and writes nothing", async () => {
  await using user = await newUser("home/.local/bin");
  await user.write(".bashrc", "# mine\n");
  const before = await treeHash(user.home);
  const shown = await user.setup("--shell", "bash", "--dry-run");
  assert.ok(
    shown.includes(`+++ ${user.home}/.bashrc\n@@ -1,1 +1,9 @@\n # mine\n+\n+# >>> svc`),
    shown,
  );
  assert.match(shown, /^\+ {2}\*:"\$HOME\/\.local\/bin":\*\) ;;$/m);
  assert.equal(await treeHash(user.home), before);
});

verifies("4.5:path-setup:json", "--json prints the result", async () => {
  await using user = await newUser("home/.local/bin");
  user.env["SHELL"] = "/usr/bin/fish";
  assert.deepEqual(JSON.parse(await user.setup("--json")), {
    shell: "fish",
    install_dir: user.bin,
    dry_run: false,
    files: [{ path: `${user.home}/.config/fish/conf.d/svc.fish`, change: "added" }],
    ok: true,
    on_path: false,
    installed: true,
    reload: "source ~/.config/fish/conf.d/svc.fish",
  });
});

Deno.test("path setup takes the folder of the config", async () => {
  await using user = await newUser("opt");
  await user.write(".svc/config.yaml", `install_dir: ${user.bin}\n`);
  const result = JSON.parse(await user.setup("--json", "--shell", "sh"));
  assert.equal(result.install_dir, user.bin);
});

Deno.test("path setup names the flag when it cannot tell the shell", async () => {
  await using user = await newUser();
  const { code, stderr } = await user.run([...svcCommand(), "path", "setup"]);
  assert.equal(code, 4, stderr);
  assert.match(stderr, /SHELL is not set[^]*svc path setup --shell fish\|zsh/);
});

Deno.test("path setup warns when the folder holds no svc", async () => {
  await using user = await newUser();
  const shown = await user.setup("--shell", "sh", "--install-dir", `${user.home}/none`);
  assert.ok(shown.includes(`warning: no svc in "${user.home}/none"; try: make install`), shown);
  assert.match(shown, /^next: open a new terminal, or: \. ~\/\.profile$/m);
});
