/** What a person decides on the page is what the service is asked, word by word. */
import assert from "node:assert/strict";
import type { PersonAct, PersonActed } from "svc/runtime/inbox/person_act.ts";
import { Failure } from "svc/core/failure.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace } from "./dashboard_place.ts";
import { person } from "./person.ts";

const LOOKED: PersonActed = {
  ...{ decision: undefined, existed: false, said: "looked", undo: undefined },
};

async function asked(decide: () => Promise<PersonActed> = () => Promise.resolve(LOOKED)) {
  const seen: PersonAct[] = [];
  const place = dashboardPlace({
    service: { decide: (act) => (seen.push(JSON.parse(JSON.stringify(act))), decide()) },
  });
  return { place, seen, ...await person(place) };
}

const TICKET = { repo_id: "r1", ticket_id: "T-0001" };
const OF = { repo: "r1", ticket: "T-0001" };
const NEXT = { seen: "2026-11-22T10:00:00Z", note: "n", role: "qa", model: "http://m#big" };

const ACTS: readonly (readonly [string, Record<string, string>, PersonAct])[] = [
  ["unblock-ticket", { ...TICKET, ...NEXT }, { act: "unblock", ...OF, ...NEXT }],
  ["assign-ticket", { ...TICKET, ...NEXT }, { act: "assign", ...OF, ...NEXT }],
  ["approve-ticket", { ...TICKET, commit: "c1", note: "n" }, {
    ...{ act: "approve", ...OF, commit: "c1", note: "n" },
  }],
  ["send-back-ticket", { ...TICKET, commit: "c1", note: "n" }, {
    ...{ act: "send-back", ...OF, commit: "c1", note: "n" },
  }],
  ["resume-role", { repo_id: "r1", role: "qa" }, { act: "resume-role", repo: "r1", role: "qa" }],
  ["resume-model", { repo_id: "r1", lane: "l" }, { act: "resume-model", repo: "r1", lane: "l" }],
  ["waive-checks", { repo_id: "r1", note: "n" }, { act: "waive-checks", repo: "r1", note: "n" }],
  ["recheck", { repo_id: "r1" }, { act: "recheck", repo: "r1" }],
  ["undo-decision", { decision_id: "d1" }, { act: "undo", decision: "d1" }],
];

verifies("4.3:mutation:success-body", "each act of the inbox is asked as it was sent", async () => {
  const { place, post, seen } = await asked();
  await using _place = place;
  for (const [path, body, act] of ACTS) {
    const answered = await post(`/api/${path}`, body);
    assert.deepEqual(await answered.json(), {
      ...{ ok: true, decision_id: null, existed: false, said: "looked", undo: null },
    }, path);
    assert.deepEqual(seen.splice(0), [act]);
    const named = { ...body, request: "once-0001" };
    assert.equal((await post(`/api/${path}`, named)).status, 200, path);
    assert.deepEqual(seen.splice(0), [{ ...act, request: "once-0001" }]);
  }
});

verifies(
  "4.3:mutation:success-body",
  "a field of an act that is empty is as one that is left out, and a decision is told with its way back",
  async () => {
    const decided = { decision: "d1", existed: true, said: "done", undo: "for 15 minutes" };
    const { place, post, seen } = await asked(() => Promise.resolve(decided));
    await using _place = place;
    const empty = { note: "", role: "", model: "", request: "" };
    const answered = await post("/api/assign-ticket", { ...TICKET, seen: NEXT.seen, ...empty });
    assert.deepEqual(await answered.json(), {
      ...{ ok: true, decision_id: "d1", existed: true, said: "done", undo: "for 15 minutes" },
    });
    assert.equal(
      (await post("/api/approve-ticket", { ...TICKET, commit: "c", note: "" })).status,
      200,
    );
    assert.equal((await post("/api/waive-checks", { repo_id: "r1", note: "" })).status, 200);
    assert.deepEqual(seen.splice(0), [
      { act: "assign", ...OF, seen: NEXT.seen },
      { act: "approve", ...OF, commit: "c" },
      { act: "waive-checks", repo: "r1" },
    ]);
    assert.equal((await post("/api/recheck", { repo_id: "r1", request: "short" })).status, 400);
    assert.deepEqual(seen, []);
  },
);

verifies(
  "4.3:mutation:failure-body",
  "a refusal names repos, and never where they lie, though one lies in another",
  async () => {
    const refuse = () =>
      Promise.reject(
        new Failure("conflict", 'Cannot decide: "/home/ada/shop/app/a.ts" is open', {
          remedy: "git -C /home/ada/shop status",
        }),
      );
    const repos = [["shop", "/home/ada/shop"], ["app", "/home/ada/shop/app"]]
      .map(([basename, root]) => ({ basename, root }));
    const place = dashboardPlace({
      service: { decide: refuse, status: () => Promise.resolve({ repos } as never) },
    });
    await using _place = place;
    const { post } = await person(place);
    const answered = await post("/api/recheck", { repo_id: "r1" });
    assert.deepEqual([answered.status, await answered.json()], [409, {
      ...{ ok: false, error: 'Cannot decide: "app/a.ts" is open' },
      remedy: "git -C shop status",
    }]);
  },
);
