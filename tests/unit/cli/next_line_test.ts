/** A command that svc names next works as it stands: it has the flags that a person gave, where it takes them. */
import assert from "node:assert/strict";
import status from "svc/cli/commands/status.ts";
import unblock from "svc/cli/commands/tickets/unblock.ts";
import { nextLine } from "svc/cli/next_line.ts";
import { page } from "svc/cli/page/page.ts";
import { verifies } from "tests/kit/verifies.ts";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const PLACE = { repo: "/work/a shop", db: "/data/x.db", modelEndpoint: "http://127.0.0.1:1/v1" };

verifies(["1:surface:every-command-known"], "each command gets the flags that it takes", () => {
  const cases = [
    ["svc tickets show T-0001", "svc tickets show --repo '/work/a shop' T-0001"],
    ["svc explain 0199", "svc explain --repo '/work/a shop' --db /data/x.db 0199"],
    [
      "svc start",
      "svc start --repo '/work/a shop' --db /data/x.db --model-endpoint http://127.0.0.1:1/v1",
    ],
    ["svc version", "svc version"],
    ["the same without --dry-run", "the same without --dry-run"],
    ["svc frobnicate", "svc frobnicate"],
    [
      "svc serve; one that runs takes it in",
      "svc serve --db /data/x.db --model-endpoint " +
      "http://127.0.0.1:1/v1; one that runs takes it in",
    ],
    // What the line says itself stays, in each of its commands.
    [
      "svc tickets list --repo /b, or: svc scan --tickets",
      "svc tickets list --repo /b, or: " +
      "svc scan --repo '/work/a shop' --tickets",
    ],
    ["svc tickets new --repository", "svc tickets new --repo '/work/a shop' --repository"],
    // A URL stands in place of a folder.
    ["svc register --url https://h/o/r", "svc register --db /data/x.db --url https://h/o/r"],
    [
      "read it, then: git add -A && git commit",
      "read it, then: git -C '/work/a shop' add -A && git -C '/work/a shop' commit",
    ],
    ["git diff CHANGELOG.md", "git -C '/work/a shop' diff CHANGELOG.md"],
    ["git -C /elsewhere commit; git worktree list", "git -C /elsewhere commit; git worktree list"],
  ] as const;
  for (const [said, wanted] of cases) assert.equal(nextLine(said, PLACE), wanted);
  assert.equal(nextLine("svc explain 0199", {}), "svc explain 0199");
});

verifies(
  ["1:surface:every-command-known"],
  "host profile is kept with its acknowledgement, and the default is not said",
  () => {
    const host = { executionProfile: "host", acknowledgeHostExecution: true, sandbox: undefined };
    assert.equal(
      nextLine("svc run qa", host),
      "svc run --execution-profile host --acknowledge-host-execution qa",
    );
    const observer = { executionProfile: "observer", acknowledgeHostExecution: false };
    assert.equal(nextLine("svc run qa", observer), "svc run qa");
  },
);

verifies(
  ["1:repo-flag:absolute-path"],
  "a printed next command works from any folder, whatever the repo is called",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({
      files: { "README.md": "# Shop\n\n[gone](docs/gone.md)\n" },
      commit: true,
    });
    const place = { env: { HOME: home.path, PATH: Deno.env.get("PATH")! }, cwd: home.path };
    const scanned = await svc(["scan", "--repo", repo.path], place);
    assert.match(
      scanned.stdout,
      new RegExp(`^next: .*svc scan --repo ${repo.path} --tickets$`, "m"),
    );
    const made = await svc(["init", "--repo", repo.path, "--yes", "--plain"], place);
    const git = `git -C ${repo.path}`;
    assert.match(made.stdout, new RegExp(`then: ${git} add -A && ${git} commit$`, "m"));
    const absent = await svc(["tickets", "show", "T-0007", "--repo", repo.path], place);
    assert.match(
      absent.stderr,
      new RegExp(`^try: svc tickets list --repo ${repo.path}$`, "m"),
      absent.stderr,
    );
  },
);

verifies(
  ["1:surface:every-command-known"],
  "what a decision prints can be copied: each command with the place, where it takes one",
  () => {
    let shown = "";
    const asked = { ...{ id: "T-0001", repo: "/work/app", db: "postgres://team@db/svc" } };
    const to = page((text) => void (shown += text), {
      ...{ styled: false, redact: (text) => text },
      nextLine: (command) => nextLine(command, asked),
    });
    const decided = {
      ...{ repo: "/work/app", decision: "0199c2f3", said: "it is handed out again" },
      ...{ undo: "within 15 minutes", redacted: false },
    };
    unblock.show!(decided, to, asked as never);
    const place = "--repo /work/app --db postgres://team@db/svc";
    assert.match(shown, new RegExp(`svc inbox undo 0199c2f3 ${place}\n`));
    assert.match(shown, /svc tickets show --repo \/work\/app T-0001\n/);
  },
);

verifies(
  ["1:surface:every-command-known"],
  "the next command of svc status in no repo names the database, and means all repos of it",
  () => {
    const place = {
      ...{ database: "postgres://team@[::1]:5432/svc", services: [], nodes: [], repos: [] },
      ...{ paused: false, pause_reason: null, held: [], failing: 0 },
      jobs: { running: 0, waiting: 0, abandoned: 0 },
    };
    const nextOf = (repo: string | null, more: object) => {
      let shown = "";
      const to = page((text) => void (shown += text), { styled: false, redact: (text) => text });
      const given = { as_of: "2026-11-28T00:00:00Z", repo, running: false };
      status.show!({ ...given, places: [{ ...place, ...more }] } as never, to, {} as never);
      return /^next: (.*)$/m.exec(shown)![1];
    };
    const service = {
      ...{ shape: "serve", profile: "host", life: "alive", pid: 1, since: "2026-11-28T00:00:00Z" },
      ...{ dashboard_url: null, control_url: null },
    };
    const all = "--all --db 'postgres://team@[::1]:5432/svc'";
    assert.equal(nextOf(null, { needs_you: 1 }), `svc inbox ${all}`);
    assert.equal(nextOf(null, { needs_you: 0, services: [service] }), `svc jobs list ${all}`);
    assert.equal(nextOf("/work/app", { needs_you: 1 }), "svc inbox");
  },
);
