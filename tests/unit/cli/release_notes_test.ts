/** `svc release notes` on real repos: what it writes, what it refuses, and what it leaves alone. */
import assert from "node:assert/strict";
import { history, run, told } from "tests/unit/features/release/history.ts";
import { svc } from "tests/kit/entrance.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const FILES = {
  "VERSION": "1.2.3\n",
  "CHANGELOG.md": "# Changelog\n\n## 1.2.3\n\n- old  \n",
  "deno.json": '{\n  "version": "1.2.3", // ours\n  "imports": { "x": "npm:x@1.2.3" }\n}\n',
  "package.json": '{"name":"x","version":"0.0.0-development"}\n',
  "Cargo.toml": '[package]\nname = "x"\nversion = "1.2.3"\n',
  "src/version.ts": 'export const VERSION = "1.2.3";\n',
  "src/app.ts": 'const APP_VERSION = "1.2.3";\n',
};

verifies(
  [
    "4.5:release-notes:updates-version",
    "4.5:release-notes:updates-version-constant",
    "4.5:release-notes:prepends-changelog",
    "2.1:release-state:version-and-changelog",
  ],
  "VERSION, the changelog's top and each constant of the old version get the new one",
  async () => {
    await using repo = await history(["feat: a flag"], FILES);
    const { kept, version, changes } = await told(repo, "release", "notes");
    assert.equal(version, "1.3.0");
    assert.equal(await repo.read("VERSION"), "1.3.0\n");
    assert.match(
      await repo.read("CHANGELOG.md"),
      /^# Changelog\n\n## 1\.3\.0 - \d{4}-\d\d-\d\d\n[^]*\n### Features\n\n- a flag \([0-9a-f]{7}\)\n\n## 1\.2\.3\n\n- old {2}\n$/,
    );
    assert.equal(await repo.read("deno.json"), FILES["deno.json"].replace('"1.2.3"', '"1.3.0"'));
    assert.equal(await repo.read("Cargo.toml"), FILES["Cargo.toml"].replace("1.2.3", "1.3.0"));
    assert.equal(await repo.read("src/version.ts"), 'export const VERSION = "1.3.0";\n');
    assert.equal(await repo.read("src/app.ts"), FILES["src/app.ts"]);
    assert.equal(await repo.read("package.json"), FILES["package.json"]);
    assert.deepEqual(kept, [{
      path: "package.json",
      why: "its version is 0.0.0-development, not 1.2.3",
    }]);
    assert.equal(changes.length, 5);
    // Committed but not tagged: the next release begins at the commit that set VERSION.
    await repo.commit("chore(release): 1.3.0");
    await repo.commit("fix: it");
    assert.deepEqual((await told(repo, "release", "notes", "--dry-run")).commits, {
      all: 1,
      listed: 1,
      breaking: 0,
    });
    const named = await told(repo, "release", "notes", "--version-file", "src/app.ts");
    assert.equal(named.version, "1.3.1");
    assert.equal(await repo.read("src/app.ts"), 'const APP_VERSION = "1.3.1";\n');
    const bad = await run(repo, "release", "notes", "--dry-run", "--version-file", "README");
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /no such file/);
  },
);

verifies(
  ["4.5:release-notes:dry-run", "4.5:release-notes:repo"],
  "a dry run shows the diff of the repo that --repo names, and changes nothing",
  async () => {
    await using repo = await history(["fix: it"], FILES);
    await using elsewhere = await tempFolder();
    const before = await repo.git("status", "--porcelain");
    const { code, stdout } = await run(
      elsewhere,
      ...["release", "notes", "--dry-run", "--repo", repo.path],
    );
    assert.equal(code, 0);
    assert.match(stdout, /^-1\.2\.3\n\+1\.2\.4$/m);
    assert.match(stdout, /^\+- it \([0-9a-f]{7}\)$/m);
    assert.match(stdout, /^1\.2\.3 → 1\.2\.4 \(patch\): 1 of 1 commits$/m);
    assert.equal(await repo.git("status", "--porcelain"), before);
    assert.equal(await repo.read("VERSION"), "1.2.3\n");
  },
);

verifies(
  ["4.5:release-notes:bump-auto"],
  "the commits decide the bump, unless a person names one",
  async () => {
    const cases = [
      ["0.3.1", "fix!: it", "0.4.0"],
      ["1.3.1", "refactor!: it", "2.0.0"],
      ["1.3.1", "docs: it", null],
      ["1.3.1", "It is mended", "1.3.2"],
    ] as const;
    for (const [from, message, to] of cases) {
      await using repo = await history([message], { VERSION: `${from}\n` });
      assert.equal((await told(repo, "release", "notes", "--dry-run")).version, to, message);
      const forced = await told(repo, "release", "notes", "--dry-run", "--bump", "major");
      assert.equal(forced.version, `${Number(from[0]) + 1}.0.0`);
    }
    await using repo = await history(["docs: it"], { VERSION: "1.0.0\n" });
    const { code, stdout } = await run(repo, "release", "notes");
    assert.equal(code, 0);
    assert.match(stdout, /Nothing to release: of 1 commits since 1\.0\.0[^]*--bump patch/);
    assert.equal(await repo.read("VERSION"), "1.0.0\n");
  },
);

Deno.test("a changed, shallow or torn repo is refused, with the way out", async () => {
  await using repo = await history(["feat: a", "fix: b"], FILES);
  await repo.write("src/app.ts", "changed\n");
  await repo.write("untracked.txt", "new\n");
  const dirty = await run(repo, "release", "notes");
  assert.equal(dirty.code, 6);
  assert.match(dirty.stderr, /"src\/app\.ts" changed since the last commit\ntry: Commit it/);
  assert.equal(await repo.read("VERSION"), "1.2.3\n");
  const shown = await told(repo, "release", "notes", "--dry-run");
  assert.match(shown.obstacle, /src\/app\.ts/);
  await repo.git("checkout", "--quiet", ".");
  await using folder = await tempFolder();
  await plainGit(folder.path, ["clone", "--quiet", "--depth=1", `file://${repo.path}`, "copy"]);
  for (const command of ["notes", "backfill-notes"]) {
    const shallow = await run(repo, "release", command, "--repo", `${folder.path}/copy`);
    assert.equal(shallow.code, 6);
    assert.match(shallow.stderr, /its history is cut off[^]*fetch --unshallow --tags/);
  }
  await repo.git("tag", "v1.9.0");
  const behind = await run(repo, "release", "notes");
  assert.equal(behind.code, 6);
  assert.match(behind.stderr, /VERSION says 1\.2\.3, and the tag v1\.9\.0 is newer/);
  await repo.commit("chore: odd", { VERSION: "one\n" });
  assert.match((await run(repo, "release", "notes")).stderr, /says "one", which is no version/);
});

Deno.test("a constant in a file that is not UTF-8 is set, and no other byte changes", async () => {
  const latin1 = (version: string) =>
    Uint8Array.from(
      `# coding: latin-1\nauthor = "Jos\xe9"\n__version__ = "${version}"\n`,
      (char) => char.charCodeAt(0),
    );
  await using repo = await history(["fix: it"], {
    VERSION: "1.2.3\n",
    "pkg/__init__.py": latin1("1.2.3"),
  });
  await told(repo, "release", "notes");
  assert.deepEqual(await Deno.readFile(`${repo.path}/pkg/__init__.py`), latin1("1.2.4"));
});

Deno.test("in a named file the constants of the old version are set, and no other's", async () => {
  const app = (version: string) =>
    `const MIN_NODE_VERSION = "18.0.0";\nconst VERSION = "${version}";\n`;
  await using repo = await history(["fix: it"], {
    VERSION: "1.2.3\n",
    "src/app.ts": app("1.2.3"),
    "src/odd.ts": app("1.0.0"),
    "src/late.ts": 'const VERSION = "1.0.0";\n',
  });
  const named = ["app", "odd", "late"].flatMap((name) => ["--version-file", `src/${name}.ts`]);
  const { kept } = await told(repo, "release", "notes", ...named);
  assert.equal(await repo.read("src/app.ts"), app("1.2.4"));
  assert.equal(await repo.read("src/odd.ts"), app("1.0.0"));
  assert.equal(await repo.read("src/late.ts"), 'const VERSION = "1.2.4";\n');
  assert.deepEqual(kept, [{
    path: "src/odd.ts",
    why: "it says 18.0.0 and 1.0.0, and none of them is 1.2.3",
  }]);
});

Deno.test("a version whose tag stands on another line of history is refused, with a free one", async () => {
  await using repo = await history(["feat: a"], { VERSION: "1.2.0\n" });
  await repo.git("tag", "v1.2.0", "HEAD~1");
  await repo.git("checkout", "--quiet", "-b", "next", "v1.2.0");
  await repo.commit("feat: b");
  await repo.git("tag", "v1.3.0");
  await repo.git("tag", "v1.2.1");
  await repo.git("checkout", "--quiet", "main");
  const { code, stderr } = await run(repo, "release", "notes");
  assert.equal(code, 6);
  assert.match(stderr, /the tag v1\.3\.0 stands on another line of history/);
  assert.match(stderr, /try: svc release notes --bump major/);
  assert.equal(await repo.read("VERSION"), "1.2.0\n");
  await repo.git("tag", "--delete", "v1.2.1");
  assert.match((await run(repo, "release", "notes")).stderr, /--bump patch/);
});

Deno.test("an issue is named although the title names one whose number begins alike", async () => {
  await using repo = await history(["fix: it (#12)\n\nCloses #1, #12 and ada/y#12"], {
    VERSION: "1.0.0\n",
  });
  const { notes } = await told(repo, "release", "notes", "--dry-run");
  assert.match(notes, /it \(#12\) \([0-9a-f]{7}\), closes #1, ada\/y#12\n/);
});

Deno.test("files named by other paths than git's, or by VERSION's own name, are refused or done once", async () => {
  await using repo = await history(["fix: it"], FILES);
  const outside = await run(repo, "release", "notes", "--version-file", `${repo.path}/src/app.ts`);
  assert.equal(outside.code, 2);
  assert.match(outside.stderr, /app\.ts": it is absolute/);
  const { changes } = await told(repo, "release", "notes", "--version-file", "VERSION");
  assert.equal(changes.filter(({ path }: { path: string }) => path === "VERSION").length, 1);
});

Deno.test("commits and issues are linked at GitHub, GitLab and Gitea, and nowhere else", async () => {
  await using repo = await history(["feat: a (#3)\n\nCloses ada/y#4"], { VERSION: "1.0.0\n" });
  await repo.git("remote", "add", "origin", "https://user:secret@github.com/ada/x.git");
  const id = (await repo.git("rev-parse", "HEAD")).trim();
  const lineAt = async (url: string) => {
    await repo.git("remote", "set-url", "origin", url);
    const { notes } = await told(repo, "release", "notes", "--dry-run");
    return notes.split("\n").find((line: string) => line.startsWith("- "));
  };
  function linkedAt(web: string, more = "") {
    const base = (remote: string) => `${web}/${remote}${more}`;
    return `- a ([#3](${base("ada/x")}/issues/3)) ([${id.slice(0, 7)}](${
      base("ada/x")
    }/commit/${id})), ` +
      `closes [ada/y#4](${base("ada/y")}/issues/4)`;
  }
  assert.equal(
    await lineAt("https://user:secret@github.com/ada/x.git"),
    linkedAt("https://github.com"),
  );
  assert.equal(await lineAt("git@gitlab.com:ada/x.git"), linkedAt("https://gitlab.com", "/-"));
  assert.equal(await lineAt("ssh://git@codeberg.org/ada/x"), linkedAt("https://codeberg.org"));
  assert.equal(
    await lineAt("https://git.example.org/ada/x"),
    `- a (#3) (${id.slice(0, 7)}), closes ada/y#4`,
  );
  await Deno.mkdir(`${repo.path}/.git/svc-home`, { recursive: true });
  await repo.write(
    ".git/svc-home/config.yaml",
    "code_hosts:\n  - { host: git.example.org, kind: gitlab }\n",
  );
  assert.equal(
    await lineAt("https://git.example.org/ada/x"),
    linkedAt("https://git.example.org", "/-"),
  );
});

Deno.test("release notes ask git as often for many tags of another line of history as for one", async () => {
  const asked = async (tags: number) => {
    await using repo = await history(["feat: a flag"], { "VERSION": "1.2.3\n" });
    await using tools = await tempFolder();
    const log = `${tools.path}/log`;
    const real = "PATH=/usr/local/bin:/usr/bin:/bin exec git";
    const script = `#!/bin/sh\necho call >> "${log}"\n${real} "$@"\n`;
    await tools.write("git", script, { executable: true });
    await repo.git("tag", "v1.2.3");
    await repo.git("checkout", "--quiet", "-b", "next");
    await repo.commit("feat!: it");
    for (let minor = 0; minor < tags; minor++) await repo.git("tag", `v2.${minor}.0`);
    await repo.git("checkout", "--quiet", "main");
    await repo.commit("fix: it");
    const env = {
      SVC_HOME: `${repo.path}/.git/svc-home`,
      PATH: `${tools.path}:/usr/local/bin:/usr/bin:/bin`,
    };
    const place = { env, cwd: repo.path };
    const { code, stdout } = await svc(["release", "notes", "--dry-run", "--json"], place);
    assert.equal(code, 0, stdout);
    const { version, previous } = JSON.parse(stdout);
    assert.deepEqual([version, previous.tag], ["1.2.4", "v1.2.3"]);
    return (await tools.read("log")).split("\n").length;
  };
  assert.equal(await asked(20), await asked(1));
});
