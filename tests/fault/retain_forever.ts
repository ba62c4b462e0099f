/** For the kill test: removes what is old in a prepared home, and says each path before it goes. */
import { policyOf } from "svc/features/retention/policy.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { retain } from "svc/runtime/retention/retain.ts";
import { enginePorts } from "tests/unit/runtime/engine_place.ts";

const [base = ""] = Deno.args;
await using plain = await enginePorts(base);
const ports = {
  ...plain,
  signal: new AbortController().signal,
  removeOwn: (path: string) => {
    console.log(path);
    return plain.removeOwn(path);
  },
};
await retain(ports, {
  ...{ policy: policyOf(Config.parse({})), now: Date.now(), apply: true, repos: true },
});
