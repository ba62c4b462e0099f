/** What a control refuses is among the answers that the API's documents name for it. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { OPERATIONS } from "svc/http/api.ts";
import { TicketChanged } from "svc/features/tickets/edit_ticket.ts";
import { described, openApi } from "tools/openapi.ts";
import { TICKET } from "tests/kit/noted_tickets.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace } from "tests/unit/http/dashboard_place.ts";
import { person } from "tests/unit/http/person.ts";

const VALUES: Readonly<Record<string, string>> = { state: "backlog" };

/** A service that refuses everything for one reason. */
function refusing(thrown: Failure) {
  const refuse = () => Promise.reject(thrown);
  return {
    ...{ scan: refuse, runRole: refuse },
    ...{ cancelJob: refuse, retryJob: refuse, tellJob: refuse, askNode: refuse },
    ...{ answerTicket: refuse, decide: refuse },
    tickets: { create: refuse, edit: refuse, move: refuse },
  };
}

/** Those about a repo, a ticket or a job. */
const controls = described().filter(({ path, operation: { body } }) =>
  body?.kind === "fields" && path !== "/api/login"
);

async function answersTo(thrown: Failure): Promise<Map<string, number>> {
  const answers = new Map<string, number>();
  // A session has 20 controls at once.
  for (let at = 0; at < controls.length; at += 15) {
    await using place = dashboardPlace({ service: refusing(thrown) });
    const { post } = await person(place);
    for (const { name, path } of controls.slice(at, at + 15)) {
      const { body } = OPERATIONS[name]!;
      const asked = body?.kind === "fields"
        ? Object.fromEntries(body.names.map((field) => [field, VALUES[field] ?? "x"]))
        : undefined;
      const response = await post(path, asked);
      await response.body?.cancel();
      answers.set(path, response.status);
    }
  }
  return answers;
}

verifies(
  ["7:status-400:unknown-role-or-repo"],
  "what is not found, stands in the way or is not allowed is answered as the documents say",
  async () => {
    for (
      const code of ["usage", "not_found", "conflict", "refused", "too_busy", "failed"] as const
    ) {
      const answers = await answersTo(new Failure(code, "Cannot do that"));
      for (const { path, statuses } of controls) {
        const status = answers.get(path)!;
        assert.ok(String(status) in statuses, `${path} answers ${status} to "${code}"`);
      }
      if (code !== "not_found") continue;
      const ofRepos = [
        "resume-role",
        "resume-model",
        "waive-checks",
        "recheck",
        "run-role",
        "scan",
      ];
      assert.deepEqual(ofRepos.map((name) => answers.get(`/api/${name}`)), ofRepos.map(() => 400));
      assert.equal(answers.get("/api/unblock-ticket"), 404);
    }
    const answers = await answersTo(new Failure("conflict", "Cannot retry: its ticket is done"));
    assert.equal(answers.get("/api/retry-job"), 409);
  },
);

Deno.test("a ticket that was changed meanwhile is answered with the fields that the documents name", async () => {
  const changed = new TicketChanged(
    {
      ticket: TICKET,
      content: { bytes: new Uint8Array(), sha256: "v2" },
    } as unknown as ConstructorParameters<typeof TicketChanged>[0],
    "---\nid: T-0001\n---\n",
  );
  await using place = dashboardPlace({ service: refusing(changed) });
  const { post } = await person(place);
  const asked = { repo_id: "r1", ticket_id: "T-0001", version: "v1", title: "Mend it" };
  const response = await post("/api/edit-ticket", asked);
  assert.equal(response.status, 409);
  const said = await response.json();
  const { paths } = JSON.parse(openApi("1.2.3"));
  const { properties } = paths["/api/edit-ticket"].post.responses["409"]
    .content["application/json"].schema;
  // A way out stands beside the words where a ticket's file is at fault.
  assert.deepEqual([...Object.keys(said), "remedy"].sort(), Object.keys(properties).sort());
  assert.deepEqual(
    Object.keys(said.present).sort(),
    Object.keys(properties.present.properties).sort(),
  );
});

verifies(
  "7:status-429:mutation",
  "a control that cannot be carried out for lack of room says when to ask again",
  async () => {
    const after = async (detail: { readonly retryAfterSecs?: number }) => {
      const busy = new Failure("too_busy", "Cannot hold more folders", detail);
      await using place = dashboardPlace({ service: refusing(busy) });
      const response = await (await person(place)).post("/api/scan", { repo_id: "r1" });
      await response.body?.cancel();
      return [response.status, response.headers.get("retry-after")];
    };
    assert.deepEqual(await after({}), [429, "5"]);
    assert.deepEqual(await after({ retryAfterSecs: 42 }), [429, "42"]);
  },
);
