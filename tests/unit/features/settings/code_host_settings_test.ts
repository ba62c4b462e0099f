import assert from "node:assert/strict";
import { CodeHosts } from "svc/features/settings/code_host_settings.ts";

const GHE = { host: "ghe.example", api: "https://ghe.example/api/v3", key_env: "GHE_TOKEN" };

Deno.test("code_hosts takes a host with its own API and key, and nothing that leads a key astray", () => {
  assert.deepEqual(CodeHosts.parse([GHE]), [{ ...GHE, kind: "github" }]);
  const lab = { host: "git.example:8443", kind: "gitlab", key_env: "GITLAB_TOKEN" };
  assert.deepEqual(CodeHosts.parse([GHE, lab]).length, 2);
  for (
    const [bad, why] of [
      [[{ ...GHE, host: "github.com" }], /svc knows/],
      [[{ ...GHE, host: "https://ghe.example" }], /must be a host/],
      [[{ ...GHE, host: "GHE.example" }], /lower case/],
      [[{ ...GHE, api: "http://ghe.example/api/v3" }], /must be https/],
      [[{ ...GHE, api: "https://a:b@ghe.example/api/v3" }], /must be https/],
      [[{ ...GHE, api: "https://api.github.com" }], /another host's/],
      [[{ ...GHE, api: undefined }], /must have api/],
      [[{ ...lab, api: GHE.api }], /must have api/],
      [[{ ...GHE, key_env: "GITHUB_TOKEN" }], /another's key/],
      [[{ ...GHE, key_env: "SVC_DASHBOARD_CONTROL_SECRET" }], /another's key/],
      [[{ ...GHE, key_env: "OPENAI_API_KEY" }], /another's key/],
      [[{ ...GHE, token: "x" }], /Unrecognized key/],
      [[GHE, GHE], /each host once/],
    ] as const
  ) {
    const { success, error } = CodeHosts.safeParse(bad);
    assert.equal(success, false, JSON.stringify(bad));
    assert.match(error!.message, why);
  }
});
