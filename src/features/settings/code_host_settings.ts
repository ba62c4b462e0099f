/** Code hosts beside github.com that the user names in their config; a repo can name none. */
import { z } from "zod";
import { isLoopbackHost } from "svc/core/loopback.ts";

/** Variables that are another's: svc's own secrets, and what github.com or a provider of models gets. */
const OTHERS = /^(?:SVC_.*|CODEHOST_TOKEN|GITHUB_TOKEN|GH_TOKEN|.*_API_KEY)$/;

const keyEnv = z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be an environment variable's name")
  .refine((name) => !OTHERS.test(name), {
    error: ({ input }) => `"${input}" holds another's key; name a variable of this host alone`,
  });

const host = z.string()
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/,
    'must be a host such as "github.example.com", in lower case, with its port if any',
  )
  .refine((name) => name !== "github.com", {
    error: "must not be github.com, which svc knows; its token is codehost_token",
  });

const api = z.url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .refine((text) => {
    const url = URL.parse(text);
    const plain = url?.username === "" && url.password === "" && url.hash === "" &&
      url.search === "";
    return plain && (url.protocol === "https:" || isLoopbackHost(url.hostname));
  }, { error: "must be https, or on this machine, without user, password or query" })
  .refine((text) => URL.parse(text)?.hostname !== "api.github.com", {
    error: "must not be that of github.com: the token is another host's",
  });

const CodeHost = z.strictObject({
  /** As it stands in the URL of `origin`. */
  host,
  kind: z.enum(["github", "gitlab", "gitea"]).default("github"),
  /** REST API of GitHub Enterprise Server. */
  api: api.optional(),
  /** Its value is sent to this host and to `api` alone. */
  key_env: keyEnv.optional(),
})
  .refine(({ kind, api }) => (kind === "github") === (api !== undefined), {
    error: "must have api, such as https://github.example.com/api/v3, for the kind github alone",
  });

export const CodeHosts = z.array(CodeHost).max(32)
  .refine((all) => new Set(all.map(({ host }) => host)).size === all.length, {
    error: "must name each host once",
  });
