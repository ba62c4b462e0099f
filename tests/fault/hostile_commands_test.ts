/** Each command that asks git, on each hostile repo. Those of agents ask the same verbs by the broker. */
import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { evil, victim } from "./hostile_parts.ts";
import { HOSTILE } from "./hostile_repos.ts";

const COMMANDS: readonly (readonly string[])[] = [
  ["doctor"],
  ["scan"],
  ["guardrails", "secret-scan"],
  ["guardrails", "secret-scan", "--staged"],
  ["tickets", "list"],
  ["tickets", "new", "--title", "x"],
  ["tools", "list"],
  ["trust"],
  ["register"],
  ["init", "--dry-run", "--yes"],
];

for (const { name, plant, refused, damaged } of HOSTILE) {
  Deno.test(`no command of svc runs a hostile ${name}`, async () => {
    await using repo = await victim();
    await using program = await evil();
    await using home = await tempFolder();
    const cwd = await plant(repo, program) ?? repo.path;
    await program.forget(); // planting it may have run it
    const env = {
      HOME: home.path,
      SVC_HOME: `${home.path}/svc`,
      PATH: "/usr/local/bin:/usr/bin:/bin",
    };
    const done: string[] = [];
    for (const command of COMMANDS) {
      const { code, stderr } = await svc(command, { env, cwd });
      assert.ok(![2, 70].includes(code), `${command.join(" ")}: ${stderr}`);
      assert.equal(await program.fired(), false, command.join(" "));
      if (code === 0) done.push(command.join(" "));
    }
    const looked = ["tickets list", "tools list", "trust"];
    if (refused === undefined && !damaged) {
      assert.deepEqual(looked.filter((command) => !done.includes(command)), []);
    }
  });
}
