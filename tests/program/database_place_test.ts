/** Where each command with `--db` refuses to keep a database: in the repo it works on, and in any other. */
import assert from "node:assert/strict";
import { TREE } from "svc/cli/tree.gen.ts";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

/** What a command needs besides `--db`. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  "checks run": ["--repo", ".", "--name", "test", "--", "true"],
  "checks waive": ["--reason", "a test"],
  "explain": ["T-0001"],
  "inbox undo": ["0199c2f3a1b2"],
  "jobs cancel": ["1"],
  "jobs limit": ["team", "4"],
  "jobs logs": ["1"],
  "jobs retry": ["1"],
  "jobs show": ["1"],
  "jobs tell": ["1", "a word"],
  "nodes drain": ["north"],
  "nodes forget": ["north"],
  "nodes pause": ["north"],
  "nodes resume": ["north"],
  "nodes stop": ["north"],
  "run": ["engineer", "--task", "x"],
  "telemetry export": ["--anonymous"],
  "tickets answer": ["T-0001", "yes"],
  "tickets approve": ["T-0001", "--commit", "0".repeat(40)],
  "tickets assign": ["T-0001", "--role", "qa"],
  "tickets review": ["T-0001"],
  "tickets send-back": ["T-0001", "mend it", "--commit", "0".repeat(40)],
  "tickets unblock": ["T-0001"],
  "tools approve": ["repo_x"],
  "tools run": ["git_status"],
  "trust explain": ["engineer", "file_read"],
  "trust set": ["engineer", ".", "observer", "--reason", "a test"],
};
/** These look at any file, and write none. */
const LOOKS_ONLY = ["doctor"];

verifies(
  "1:database-path:outside-target-repo",
  "each command with --db refuses a database inside a repo, and writes none",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { "README.md": "# Shop\n" }, commit: true });
    await using other = await tempRepo({ files: { "README.md": "# Other\n" }, commit: true });
    const env = { HOME: home.path, SVC_HOME: `${home.path}/.svc`, PATH: Deno.env.get("PATH")! };
    const place = { env, cwd: repo.path };
    assert.equal((await svc(["init", "--yes"], place)).code, 0);
    await repo.commit("harness");
    const [target, elsewhere] = [`${repo.path}/state/svc.db`, `${other.path}/svc.db`];
    for (const [name, { flags, givenBy }] of Object.entries(TREE.commands)) {
      if (!("db" in flags) || LOOKS_ONLY.includes(name)) continue;
      for (const db of [target, elsewhere]) {
        const [before = [], after = []] = splitAtDashes(WORDS[name] ?? []);
        const yes = "asks" in givenBy ? ["--yes"] : [];
        const words = [...name.split(" "), ...before, ...yes, "--db", db, ...after];
        const { code, stderr } = await svc(words, place);
        assert.deepEqual([name, code], [name, 2], stderr);
        assert.match(stderr, /--db.* lies inside the repo .*\ntry: /, name);
      }
    }
    assert.equal(await repo.git("status", "--porcelain", "--ignored"), "");
    assert.equal(await other.git("status", "--porcelain", "--ignored"), "");
  },
);

function splitAtDashes(words: readonly string[]): readonly (readonly string[])[] {
  const at = words.indexOf("--");
  return at < 0 ? [words] : [words.slice(0, at), words.slice(at)];
}
