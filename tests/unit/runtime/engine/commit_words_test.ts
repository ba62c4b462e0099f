/** Whole tickets through the engine; commitlint judges each commit that their repo comes to hold, merged or not. */
import assert from "node:assert/strict";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { answerTicket } from "svc/features/tickets/answer_ticket.ts";
import { objectionsTo } from "tests/kit/commitlint.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, TEAM, turns } from "tests/unit/runtime/team.ts";

const TITLES = [
  `ALL THE KEYS OF THE API ${"are checked and checked again, ".repeat(4)}Now.`,
  "🚀 Ship\nIt (now): At once...",
];

const TYPES = [
  ...["chore(leftovers)", "chore(merge)", "chore(tickets)", "chore(wip)"],
  ...["feat", "fix"],
];

/** Also of those that no branch holds any more. */
async function messagesIn({ git }: TempRepo): Promise<string[]> {
  const listed = await git("cat-file", "--batch-all-objects", "--batch-check");
  const commits = listed.split("\n").flatMap((line) =>
    / commit /.test(line) ? line.slice(0, 40) : []
  );
  return await Promise.all(commits.map((commit) => git("log", "-1", "--format=%B", commit)));
}

const DONE = { text: `I am done. See ${"words-".repeat(30)} TypeError: it.` };

/** Asks, gives up over a broken file, leaves right work that is not committed, and commits what is asked anew. */
const ENGINEER = [
  turns(call("finish", {
    disposition: "question",
    question: "Which file?",
    choices: ["fixed.txt", "other.txt"],
    evidence: "the ticket names none",
  })),
  turns(
    call("file_write", { path: `${"deep/".repeat(40)}wrong.txt`, content: "half\n" }),
    call("command_run", { argv: ["sh", "-c", `ln -s app.txt ${"long".repeat(40)}; echo Bad: it`] }),
    ...[DONE, DONE, DONE],
  ),
  turns(call("file_write", { path: "fixed.txt", content: "fixed\n" }), DONE, DONE, DONE),
  turns(
    call("file_write", { path: "more.txt", content: "more\n" }),
    call("git_commit", { message: "fix: say more" }),
    finish("submitted"),
  ),
];

for (const title of TITLES) {
  Deno.test(`each commit of svc's own passes commitlint: ${title.slice(0, 12)}`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const sentBack = turns(finish("changes_requested"));
    await using endpoint = modelEndpoint({
      roles: { ...TEAM.roles, engineer: ENGINEER, qa: [sentBack, TEAM.roles.qa] },
    });
    const id = await registered(ports, repo.path);
    await ticketed(ports, repo.path, { title });
    await queued(ports, id, "orchestrator");
    await carryOut(ports, endpoint.url);
    {
      using checkout = await openCheckout(
        { ...ports, signal: new AbortController().signal },
        repo.path,
      );
      await answerTicket(checkout, "T-0001", { actor: "ada", text: "Euros.\nWhich: they." });
    }
    await queued(ports, id, "orchestrator");
    await carryOut(ports, endpoint.url);
    assert.deepEqual((await jobLines(ports)).filter((line) => / T-0001 /.test(line)), [
      "engineer T-0001 completed blocked",
      "engineer T-0001 failed stuck",
      "engineer T-0001 completed submitted",
      "qa T-0001 completed changes_requested",
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
    ]);
    const messages = (await messagesIn(repo)).filter((message) => message.trim() !== "first");
    const types = new Set(messages.map((message) => message.split(":", 1)[0]));
    assert.deepEqual([...types].sort(), TYPES);
    for (const message of messages) assert.deepEqual(await objectionsTo(message), [], message);
  });
}
