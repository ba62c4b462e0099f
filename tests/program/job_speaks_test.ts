/** A job tries to speak for a person: a scripted model has `command_run` start the real svc, in every way. */
import assert from "node:assert/strict";
import { HOST, type RunSite, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { call, turns } from "tests/kit/scripted_turns.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

const SVC = svcCommand().map((word) => `'${word}'`).join(" ");

/** Commands, with what makes them a person's. Each would do something if it were believed. */
const SPOKEN = [
  "trust set qa . contributor --reason 'qa is fine'",
  "tickets move T-0001 in-progress --yes",
  "tickets new --title 'More work'",
  "tools approve repo_x --yes",
  "checks waive --yes",
  "checks try --yes --acknowledge-host-execution",
  "register",
  "eject --apply --confirm work",
  "init --force --yes",
  "update harness --yes",
  "models override --role engineer --provider ollama --model evil",
  "models credentials write-local-env --api-key-env EVIL_API_KEY --yes",
  "guardrails secret-scan --write-baseline",
  "guardrails install-hooks",
  "scan --tickets",
  "scores export --create-intervention-debt",
  "path setup --yes",
  "prune --apply",
  "doctor --servers",
  `run engineer --task again ${HOST.join(" ")}`,
  `start --yes ${HOST.join(" ")}`,
  `serve ${HOST.join(" ")}`,
  `tools run file_write --args-json '{"path":"a","content":"b"}' --role gardener ${HOST.join(" ")}`,
  `mcp serve --trust contributor ${HOST.join(" ")}`,
];

/** Ways to start a program such that it seems to be nobody's. `@` is svc with its words. */
const WAYS = [
  "@",
  "env -u SVC_JOB_ID @",
  `env -i PATH="$PATH" HOME="$HOME" SVC_HOME="$SVC_HOME" DENO_DIR="$DENO_DIR" EVIL_API_KEY=1 @`,
  `setsid -w env -i HOME="$HOME" SVC_HOME="$SVC_HOME" DENO_DIR="$DENO_DIR" PATH="$PATH" @`,
  // Orphaned: the shell that started it is gone, and its own session has no other process.
  `sh -c "(setsid env -i HOME='$HOME' SVC_HOME='$SVC_HOME' DENO_DIR='$DENO_DIR' PATH='$PATH' @ &)"`,
  // On a terminal that the job made for it.
  `env -u SVC_JOB_ID script --quiet --flush --return --command "@" /dev/null`,
];

/** A script that notes for each try what it printed; a try's end is the end of its pipe. */
function tries(site: RunSite): string {
  const vars = { ...site.env, REPO: site.repo.path, NO_COLOR: "1" };
  const lines = SPOKEN.flatMap((words, at) => {
    // The first is tried in every way, the others in one each.
    const ways = at === 0 ? WAYS : [WAYS[at % WAYS.length]!];
    return ways.map((way) => {
      const quoted = way.includes(`"@"`) || way.startsWith("sh -c");
      const line = `${SVC} ${words}`;
      const typed = quoted ? line.replaceAll(/["$]/g, String.raw`\$&`) : line;
      return `echo '@${words.split(" --")[0]}' >> "$1"; ` +
        `{ ${way.replace("@", () => typed)} < /dev/null; } 2>&1 | cat >> "$1"`;
    });
  });
  const set = Object.entries(vars).filter(([name]) =>
    /^(?:HOME|SVC_HOME|DENO_DIR|REPO|NO_COLOR)$/.test(name)
  );
  return [...set.map(([name, value]) => `export ${name}='${value}'`), 'cd "$REPO"', ...lines]
    .join("\n");
}

async function site(): Promise<RunSite & { readonly notes: string }> {
  let argv: string[] = [];
  const made = await runSite({
    scenario: {
      roles: {
        engineer: turns(
          () => call("command_run", { argv, timeout_seconds: 300 }),
          call("finish", { disposition: "blocked", evidence: "tried" }),
        ),
      },
    },
  });
  const notes = `${made.home}-notes.txt`;
  const script = `${made.home}-tries.sh`;
  argv = ["sh", script, notes];
  await made.repo.write(
    ".harness/tools/repo_x.yaml",
    "version: 1\nname: repo_x\nabout: x\nneeds: exec\nargv: [cat]\n",
  );
  await made.repo.commit("a tool");
  await Deno.writeTextFile(script, tries(made));
  return { ...made, notes };
}

Deno.test("a job cannot speak for a person through svc, whatever way its command starts it", async () => {
  await using place = await site();
  await place.svc("tickets", "new", "--title", "From outside");
  await place.svc("trust", "set", "qa", ".", "observer", "--reason", "it only reads");
  const before = await place.state();
  const trust = (await place.svc("trust", "--json")).stdout;
  const ran = await place.run("engineer", "--ticket", "T-0001", ...HOST);
  const notes = (await Deno.readTextFile(place.notes)).replaceAll("\r\n", "\n");
  const parts = notes.split(/^@(.*)\n/m).slice(1);
  assert.equal(parts.length / 2, SPOKEN.length + WAYS.length - 1, `${notes}${ran.stderr}`);
  for (let at = 0; at < parts.length; at += 2) {
    const [words, said] = [parts[at]!, parts[at + 1]!];
    assert.match(said, /^svc: Cannot run svc .+ inside a job: /, `${words}:\n${said}`);
    assert.match(said, /^try: A person runs it, in a terminal of their own: svc /m, words);
  }
  // Only what svc itself notes of the job's end is new.
  assert.equal((await place.svc("trust", "--json")).stdout, trust);
  const paths = (text: string) =>
    text.split("\n").filter((line) => !/^\/(?:\.git|docs\/tickets)\//.test(line));
  assert.deepEqual(paths(await place.state()), paths(before));
  assert.equal((await place.svc("tickets", "list", "--json")).json().tickets.length, 1);
});

Deno.test("a person's own terminal is asked nothing, and a person's script says --yes", async () => {
  await using place = await runSite({ scenario: { roles: {} } });
  await place.svc("tickets", "new", "--title", "Mine");
  const move = ["tickets", "move", "T-0001"] as const;
  const env = { ...place.env, TERM: "xterm-256color" };
  {
    await using terminal = new PseudoTerminal({
      line: `sh -c "${SVC} ${
        move.join(" ")
      } in-progress | cat; ${SVC} trust set qa . observer --reason x < /dev/null"`,
      cwd: place.repo.path,
      env,
    });
    await terminal.seen(/Moved T-0001 backlog → in-progress/);
    await terminal.seen(/Set qa on .*: contributor → observer/);
  }
  // Whether these tests have a terminal depends on who runs them.
  const alone = async (...words: string[]) => {
    const { code, stderr } = await new Deno.Command("setsid", {
      args: ["-w", ...svcCommand(), ...words],
      cwd: place.repo.path,
      env: place.env,
      clearEnv: true,
      stdin: "null",
    }).output();
    return { code, stderr: new TextDecoder().decode(stderr) };
  };
  const { code, stderr } = await alone(...move, "review");
  assert.equal(code, 4, stderr);
  assert.match(
    stderr,
    /^svc: Cannot run svc tickets move: .+, and no terminal is here\ntry: .*--yes/,
  );
  assert.equal((await alone(...move, "review", "--yes")).code, 0);
});
