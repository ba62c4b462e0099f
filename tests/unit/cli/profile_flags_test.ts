import assert from "node:assert/strict";
import { profileFlags, profileOf } from "svc/cli/profile_flags.ts";
import { Failure } from "svc/core/failure.ts";
import { PROFILES } from "svc/core/permission.ts";
import { verifies } from "tests/kit/verifies.ts";

const asked = (executionProfile: typeof PROFILES[number], acknowledgeHostExecution: boolean) =>
  profileOf({ executionProfile, acknowledgeHostExecution });

verifies(
  [
    "1:execution-profile:host-needs-acknowledgement",
    "1:execution-profile:acknowledgement-alone-grants-nothing",
    "1:execution-profile:host-is-not-containment",
  ],
  "profileOf gives host only for both flags, and never isolated",
  () => {
    assert.equal(asked("observer", false), "observer");
    assert.equal(asked("observer", true), "observer");
    assert.equal(asked("host", true), "host");
    assert.throws(() => asked("host", false), (thrown) => {
      assert.ok(thrown instanceof Failure && thrown.code === "answer_needed" && thrown.exit === 4);
      assert.match(thrown.message, /no containment/);
      return /--acknowledge-host-execution/.test(thrown.remedy);
    });
    for (const acknowledged of [true, false]) {
      assert.throws(() => asked("isolated", acknowledged), (thrown) => {
        assert.ok(thrown instanceof Failure && thrown.code === "refused" && thrown.exit === 3);
        return /unavailable/.test(thrown.message);
      });
    }
  },
);

verifies(
  "3.1:execution-profile:closed-list",
  "profileFlags take the three profiles, fall back to observer, and say that host contains nothing",
  () => {
    const { executionProfile, acknowledgeHostExecution } = profileFlags;
    assert.deepEqual(executionProfile.choices, ["observer", "host", "isolated"]);
    assert.equal(executionProfile.fallback, "observer");
    assert.match(executionProfile.about, /host .*is no containment/);
    assert.match(acknowledgeHostExecution.about, /full authority of your user/);
    assert.match(acknowledgeHostExecution.about, /no containment/);
  },
);
