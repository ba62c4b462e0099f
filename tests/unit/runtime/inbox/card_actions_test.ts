/** What settles each kind of card; each action is one that the API takes and the command line knows. */
import assert from "node:assert/strict";
import { pathList } from "svc/core/path_list.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import { find } from "svc/cli/tree.ts";
import { OPERATIONS } from "svc/http/api.ts";
import type { InboxAction } from "svc/runtime/views/action_shape.ts";
import { cardsOf } from "svc/runtime/views/pipeline_view.ts";
import { CARD_ROWS } from "tests/unit/runtime/views/card_rows.ts";
import { job, repo, service, settlement, ticket } from "tests/unit/runtime/views/facts.ts";
import { lane, of, owed, type Row, worked } from "tests/unit/runtime/views/card_samples.ts";
import { MORE_CARD_ROWS } from "tests/unit/runtime/views/more_card_rows.ts";
import { MANUAL, NOW } from "tests/unit/runtime/views/facts.ts";

const SETTLED_BY: Readonly<Record<string, string>> = {
  "a blocked ticket": "unblock assign",
  "a question of a role": "answer assign",
  "a merge conflict, which svc has blocked the ticket for": "unblock assign",
  "a ticket that was blocked for one reason, and changed since": "unblock assign",
  "claims that a person has paused": "resume",
  "claims that a full disk holds up": "doctor",
  "a merge that waits for a clean checkout": "commit stash recheck send-back",
  "a pull request": "open recheck send-back",
  "a merge that is left to a person": "merge recheck send-back",
  "a pull request that cannot be opened": "recheck send-back",
  "a pull request that was merged, and conflicts with this clone": "merge open recheck",
  "a merge in the middle of somebody's rebase": "recheck send-back",
  "a merge of work without a ticket": "commit stash recheck",
  "another branch that is checked out": "run recheck",
  "a registered branch that was renamed": "run recheck",
  "a manifest that does not count": "doctor",
  "a repo whose tickets cannot be read": "doctor",
  "a branch that would take along what a person has not pushed": "run recheck send-back",
  "a file that is no ticket": "edit",
  "a paused role": "resume",
  "a model that is paused until a time": "resume",
  "a job without a ticket that failed": "retry run",
  "a job of a ticket that is gone": "history cancel",
  "a job of a ticket that is gone, which died with its svc": "history cancel",
  "checks that failed, though the job came to its end": "retry run",
  "a role that asks a person": "retry run",
  "a job that waits for more of a budget": "recheck",
  "a limit of the day that is reached": "costs",
  "a failed job of a ticket that nobody goes on with": "retry assign move",
  "a rehearsal that failed": "retry assign",
  "a ticket that nobody goes on with by itself": "assign move",
  "work whose branch is gone": "branch give-back",
  "a ticket whose job a person ended": "assign move",
  "a ticket from outside that nobody vouches for": "vouch",
  "a ticket of a role that is gone": "assign move",
  "a ticket that waits for one that is not there": "edit recheck",
  "a ticket that waits for itself": "edit recheck",
};

/** Kinds that differ in what settles them alone. */
const FURTHER: readonly (Pick<Row, "repo" | "service" | "what"> & { readonly ids: string })[] = [
  {
    what: "work in review that no role judges by itself",
    repo: repo({ ...of([ticket({ state: "review", branch: "svc/a" })]), manifest: MANUAL }),
    ids: "approve send-back assign move",
  },
  {
    what: "work in review whose judge failed",
    repo: repo({
      ...of([ticket({ state: "review", branch: "svc/a" })]),
      ofTicket: worked("in-progress", { role: "qa", status: "failed" }).ofTicket,
    }),
    ids: "retry approve send-back assign move",
  },
  {
    what: "a merge that waits for a person's word",
    repo: repo(owed("your word: x names no check; let it in unchecked: svc checks waive")),
    ids: "approve send-back waive",
  },
  {
    what: "a token that the code host refuses",
    repo: repo(
      owed("another try at the pull request: GitHub refuses the token (401); Mend the token"),
    ),
    ids: "recheck send-back",
  },
  {
    what: "a merge that waits for credentials",
    repo: repo(owed("a person to merge a into main; set GITHUB_TOKEN, to have a draft opened")),
    ids: "merge recheck send-back",
  },
  {
    what: "a move that waits",
    repo: repo({
      ...of([ticket({ state: "in-progress" })]),
      settlements: [settlement({
        ...{ to_state: "review", merge_from: null, merge_commit: null, merge_into: null },
        waits_for: '"main" to be checked out: "fix" is',
      })],
    }),
    ids: "run recheck",
  },
  {
    what: "a model without its key",
    service: {
      lanes: [{
        ...{ ...lane, kind: "model", key: "openai/m at https://h/v1" },
        reason: 'Cannot use provider "openai": "OPENAI_API_KEY" is not set',
      }],
    },
    repo: repo(),
    ids: "key resume",
  },
  {
    what: "a role of no ticket that came to no end",
    repo: repo({ ofRole: new Map([["qa", job({ role: "qa", status: "failed" })]]) }),
    ids: "retry run",
  },
];

const urgent = ({ repo, service: of }: Pick<Row, "repo" | "service">) =>
  cardsOf(service(of), [repo]).cards.filter(({ zone }) =>
    zone === "needs_you" || zone === "failing"
  );

Deno.test("each card that needs a person, or is broken, has what settles it", () => {
  const rows = [...CARD_ROWS, ...MORE_CARD_ROWS].filter(({ zone }) =>
    zone === "needs_you" || zone === "failing"
  );
  const found = rows.map((row) => [
    row.what,
    urgent(row).find(({ why }) => row.why.test(why))!.actions.map(({ id }) => id).join(" "),
  ]);
  assert.deepEqual(Object.fromEntries(found), SETTLED_BY);
  for (const { what, ids, ...row } of FURTHER) {
    assert.deepEqual(
      urgent(row).map(({ actions }) => actions.map(({ id }) => id).join(" ")),
      [ids],
      what,
    );
  }
});

Deno.test("what only waits, works or is done asks nobody", () => {
  for (const { repo, service: of } of [...CARD_ROWS, ...MORE_CARD_ROWS]) {
    for (const { zone, actions, why } of cardsOf(service({ now: NOW, ...of }), [repo]).cards) {
      if (zone !== "needs_you" && zone !== "failing") assert.deepEqual(actions, [], why);
    }
  }
});

function fieldsOf({ given, asks, review, once }: InboxAction): string[] {
  return [
    ...Object.keys(given),
    ...asks.map(({ field }) => field),
    ...(review ? ["commit"] : []),
    ...(once ? ["request"] : []),
  ];
}

const all = [...CARD_ROWS, ...MORE_CARD_ROWS, ...FURTHER].flatMap((row) =>
  urgent(row).flatMap(({ actions }) => actions)
);

Deno.test("each action gives its operation the fields that it takes, and names a command that there is", () => {
  assert.ok(all.length > 60);
  for (const action of all) {
    const { operation, command, id } = action;
    if (operation !== null) {
      const { body } = OPERATIONS[`POST /api/${operation}`]!;
      const taken = body?.kind === "fields" ? body : { names: [], optional: [] };
      const fields = fieldsOf(action);
      const may = [...taken.names, ...(taken.optional ?? [])];
      assert.deepEqual(fields.filter((name) => !may.includes(name)), [], `${id}: unknown fields`);
      assert.deepEqual(taken.names.filter((name) => !fields.includes(name)), [], `${id}: missing`);
    }
    if (command?.startsWith("svc ")) {
      const { command: known, path } = find(TREE, command.split(" ").slice(1));
      assert.ok(known, command);
      for (const [flag] of command.matchAll(/(?<= --)[a-z-]+/g)) {
        const key = flag.replaceAll(/-([a-z])/g, (_, letter) => letter.toUpperCase());
        assert.ok(Object.hasOwn(known.flags, key), `${path} has no --${flag}`);
      }
    }
    assert.ok(command !== null || action.href !== null, id);
  }
});

Deno.test("commands quote what a repo names", () => {
  const bad = "a clean checkout: $(touch x).txt, -rf";
  const [card] = urgent({ repo: repo(owed(bad)) });
  const stash = card!.actions.find(({ id }) => id === "stash")!;
  assert.equal(stash.command, "git stash push --include-untracked -- '$(touch x).txt' -rf");
});

Deno.test("what stands in the way of a merge is put aside, also a file that git does not know", async () => {
  await using place = await tempRepo({ files: { "a.txt": "1\n" }, commit: true });
  await place.write("a.txt", "2\n");
  await place.write("new.txt", "mine\n");
  await place.write("b, c.txt", "mine\n");
  const paths = pathList(["a.txt", "b, c.txt", "new.txt"]);
  const [card] = urgent({ repo: repo(owed(`a clean checkout: ${paths}`)) });
  const { command } = card!.actions.find(({ id }) => id === "stash")!;
  const env = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "a@b", HOME: "/nonexistent" };
  const put = await new Deno.Command("sh", {
    ...{ args: ["-c", command!], cwd: place.path },
    env: { ...env, GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "a@b" },
  }).output();
  assert.ok(put.success, new TextDecoder().decode(put.stderr));
  assert.equal(await place.git("status", "--porcelain"), "");
  await place.git("stash", "pop", "--quiet");
  assert.equal(await place.read("new.txt"), "mine\n");
});
