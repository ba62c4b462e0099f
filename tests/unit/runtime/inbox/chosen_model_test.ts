/** The model that a person chose for a ticket's next job is asked, and by that job alone. */
import assert from "node:assert/strict";
import { keepProfile } from "svc/features/models/local/profile_store.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { verifies } from "tests/kit/verifies.ts";
import { carryOut } from "tests/unit/runtime/engine_place.ts";
import { inboxPlace } from "tests/unit/runtime/inbox_place.ts";
import { finish, ORCHESTRATOR, QA, turns } from "tests/unit/runtime/team.ts";

verifies(
  ["4.3:mutation:success-body"],
  "the next job asks the model that a person chose, and the jobs after it ask their own",
  async () => {
    await using place = await inboxPlace();
    const submits = turns(finish("submitted"));
    await using usual = modelEndpoint({ roles: { orchestrator: ORCHESTRATOR, qa: QA } });
    await using chosen = modelEndpoint({ roles: { engineer: submits } });
    const { ports } = place;
    await keepProfile(ports.db, {
      ...{ endpoint: chosen.url, model: "fixture-model", fingerprint: "f".repeat(64) },
      ...{ tools: "native", context_window: 8192, usage_reported: 1, evidence: "fixture" },
      probed_at: 1,
    });
    const model = `${chosen.url}#fixture-model`;
    await place.decide({ act: "unblock", ticket: "T-0001", role: "engineer", model });
    await carryOut(ports, usual.url);
    assert.deepEqual(
      (await place.jobs()).slice(0, 2).map(({ role, disposition }) => [role, disposition]),
      [["engineer", "submitted"], ["qa", "approved"]],
    );
    assert.ok(chosen.requests.length > 0);
    assert.ok(usual.requests.some(({ request }) => JSON.stringify(request).includes("qa")));
  },
);
