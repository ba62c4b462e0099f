/** `svc update check` against Debian's nginx with a release of GitHub's own examples, and a harness that drifts. */
import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";
import { run } from "svc/cli/main.ts";
import { capturedEntrance, svc } from "tests/kit/entrance.ts";
import { releaseHost, RIGHT_TOKEN } from "tests/kit/servers/release_host.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

interface Checked {
  readonly tool: {
    readonly latest: string | null;
    readonly drift: string;
    readonly reason: string;
  };
  readonly harness: {
    readonly drift: string;
    readonly files: readonly { readonly path: string; readonly state: string }[];
  } | null;
}

verifies(
  [
    "4.5:update-check:reports-drift",
    "4.5:update-check:latest-release-url",
    "4.5:update-check:skip-remote",
    "4.5:update-check:json",
  ],
  "a newer release is drift; with --skip-remote nobody is asked",
  async () => {
    await using folder = await tempFolder();
    await using host = await releaseHost(folder.path, "v9.9.9");
    const home = folder.path;
    await Deno.mkdir(`${home}/.svc`);
    const text = `release_url: ${host.origin}/needs-404\ncodehost_token: ${RIGHT_TOKEN}\n`;
    await Deno.writeTextFile(`${home}/.svc/config.yaml`, text);
    const env = { HOME: home, PATH: "/usr/bin:/bin" };
    const check = async (...args: string[]) => {
      const { code, stdout, stderr } = await svc(["update", "check", "--json", ...args], {
        ...{ env, cwd: home },
      });
      return { code, stderr, ...JSON.parse(stdout) as Checked };
    };
    const skipped = await check("--skip-remote");
    assert.deepEqual([skipped.code, skipped.tool.drift], [0, "unknown"]);
    assert.equal(skipped.tool.reason, "not asked: --skip-remote");
    assert.equal(skipped.harness, null);
    const [old, newer] = [
      await check(),
      await check("--latest-release-url", `${host.origin}/tagged`),
    ];
    assert.deepEqual([old.code, old.tool.latest, old.tool.drift], [0, "0.0.1", "ahead"]);
    assert.deepEqual([newer.code, newer.tool.latest, newer.tool.drift], [1, "v9.9.9", "behind"]);
    const log = (await host.log(3)).map((line) => line.trim());
    assert.deepEqual(log, ["404 GET /needs-404", "200 GET /needs-404", "200 GET /tagged"]);
    // Another host than the config's gets no credential, whatever it answers.
    await using other = await releaseHost(await Deno.makeTempDir({ dir: folder.path }));
    const away = await check("--latest-release-url", `${other.origin}/needs-404`);
    assert.equal(away.tool.drift, "unknown");
    assert.deepEqual((await other.log()).map((line) => line.trim()), ["404 GET /needs-404"]);
    const { code } = await svc(["update", "check", "--latest-release-url", "ftp://x"], { env });
    assert.equal(code, 2);
  },
);

verifies(
  ["4.5:update-check:skip-remote"],
  "with --skip-remote the network is given up before anything is looked at",
  async () => {
    const asked: string[] = [];
    const { entrance } = capturedEntrance();
    const giveUp = (authority: string) => {
      asked.push(authority);
      throw new Error("given up");
    };
    await run(["update", "check", "--skip-remote"], { ...entrance, giveUp });
    await run(["update", "check"], { ...entrance, giveUp });
    assert.deepEqual(asked, ["offline", "whole"]);
  },
);

verifies(
  ["4.5:update-check:reports-drift", "4.5:update-check:repo"],
  "each file of the harness that drifted is named, with what it is",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { "package.json": "{}\n" }, commit: true });
    const env = { HOME: home.path, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };
    const check = async () => {
      const args = ["update", "check", "--skip-remote", "--repo", repo.path];
      const { code, stdout } = await svc([...args, "--json"], { env });
      const page = await svc(args, { env });
      return { code, page: page.stdout, harness: (JSON.parse(stdout) as Checked).harness };
    };
    assert.equal((await check()).harness, null);
    assert.equal((await svc(["init", "--repo", repo.path, "--yes"], { env })).code, 0);
    const fresh = await check();
    assert.deepEqual([fresh.code, fresh.harness?.drift, fresh.harness?.files], [0, "current", []]);
    // A prompt is gone; a file of svc's own was written by an older svc; a person's one has a newer default.
    const metadata = JSON.parse(await repo.read(".harness/metadata.json"));
    const [gone, old, mine] = [
      ".harness/roles/qa.md",
      ".harness/README.md",
      ".harness/roles/ceo.md",
    ];
    await Deno.remove(`${repo.path}/${gone}`);
    const sha = async (text: string) =>
      new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
    for (const path of [old, mine]) {
      if (metadata.files[path] === undefined) continue;
      metadata.files[path] = { text: "older\n", sha256: await sha("older\n") };
      await repo.write(path, path === old ? "older\n" : "older, and mine\n");
    }
    metadata.tool_version = "0.0.1";
    await repo.write(".harness/metadata.json", JSON.stringify(metadata));
    const { code, harness, page } = await check();
    assert.deepEqual([code, harness?.drift], [1, "behind"]);
    const states = Object.fromEntries(harness!.files.map(({ path, state }) => [path, state]));
    const wanted = { [gone]: "missing", [mine]: "offered" };
    const outdated = metadata.files[old] === undefined ? {} : { [old]: "outdated" };
    assert.deepEqual(states, { ...wanted, ...outdated });
    assert.match(page, /\.harness\/roles\/qa\.md\s+missing/);
    assert.match(page, /^next: svc update harness --repo \S+ --dry-run$/m);
    // Without a record all that svc makes may be somebody's; what is missing is told.
    await Deno.remove(`${repo.path}/.harness/metadata.json`);
    const unknown = await check();
    assert.deepEqual(
      [unknown.code, unknown.harness?.drift, unknown.harness?.files],
      [1, "behind", [{ path: gone, state: "missing" }]],
    );
    await svc(["update", "harness", "--repo", repo.path, "--yes"], { env });
    const whole = JSON.parse(await repo.read(".harness/metadata.json"));
    assert.deepEqual([(await check()).code, (await check()).harness?.drift], [0, "current"]);
    await repo.write(
      ".harness/metadata.json",
      JSON.stringify({ ...whole, tool_version: "0.0.1" }),
    );
    const older = await check();
    assert.deepEqual(
      [older.code, older.harness?.drift, older.harness?.files],
      [1, "behind", []],
    );
    metadata.tool_version = "99.0.0";
    await repo.write(".harness/metadata.json", JSON.stringify(metadata));
    const ahead = await check();
    assert.deepEqual([ahead.code, ahead.harness?.drift], [0, "ahead"]);
    assert.match(ahead.page, /made by svc 99\.0\.0\nnext: svc update tool --dry-run/);
    assert.ok(VERSION < "99");
  },
);

Deno.test("damaged records are a fault, not a folder without a harness", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ commit: true });
  const env = { HOME: home.path, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };
  assert.equal((await svc(["init", "--repo", repo.path, "--yes"], { env })).code, 0);
  await repo.write(".harness/metadata.json", "{");
  const here = await svc(["update", "check", "--skip-remote"], { env, cwd: repo.path });
  assert.equal(here.code, 5);
  assert.match(
    here.stderr,
    /Cannot read "\.harness\/metadata\.json": it is damaged\ntry: git checkout/,
  );
});
