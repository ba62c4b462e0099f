/** MCP servers that the user names in their config: programs, and addresses of streamable HTTP. */
import { z } from "zod";
import { isLoopbackHost } from "svc/core/loopback.ts";
import { isOwnCredential, OWN_CREDENTIAL } from "svc/core/own_credentials.ts";

/** Seconds. */
const START_SECONDS = 20;
const CALL_SECONDS = 60;
const MOST_SECONDS = 600;

const SERVERS = 16;

/** It begins the names of its tools, `<server>__<tool>`, which model APIs bound to 64 characters. */
const serverName = z.string().max(24)
  .regex(/^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/, 'must be a name such as "files"');

const variable = z.string().regex(/^[A-Z][A-Z0-9_]*$/, "must be an environment variable's name")
  // A program that loads what a variable names would not be the one that the config says.
  .regex(/^(?!LD_|DYLD_|NODE_OPTIONS$|PATH$|HOME$)/, "must not change how programs are started")
  .refine((name) => !isOwnCredential(name), {
    error: ({ input }) => `"${input}" ${OWN_CREDENTIAL}; leave it out`,
  });

const serverUrl = z.url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .refine((text) => {
    const url = URL.parse(text);
    return url?.username === "" && url.password === "" && url.hash === "";
  }, { error: "must have no user, password or fragment; a key goes into key_env" });

const word = z.string().min(1).max(4096).regex(/^\P{Cc}*$/u, "must have no control character");

const seconds = z.int().min(1).max(MOST_SECONDS);

export const McpServer = z.strictObject({
  /** Program and arguments, without a shell; `{tree}` is the work tree. */
  command: z.array(word).min(1).max(64).optional(),
  /** Variables that the program gets beside those of every child. */
  env: z.array(variable).max(32).default([]),
  url: serverUrl.optional(),
  /** Its value is sent as a bearer token. */
  key_env: variable.optional(),
  /** Who may use it; a repo cannot add to them. */
  roles: z.array(z.string().min(1)).min(1),
  /** The server's own names of those that are used; all by default. */
  tools: z.array(z.string().min(1).max(128)).max(256).optional(),
  /** `off`: it runs outside of the sandbox that `execution` asks for. */
  sandbox: z.enum(["on", "off"]).default("on"),
  start_seconds: seconds.default(START_SECONDS),
  timeout_seconds: seconds.default(CALL_SECONDS),
})
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: "must have either command or url",
  })
  .refine(({ command, key_env }) => command === undefined || key_env === undefined, {
    error: "must have no key_env beside command; name the variable in env",
  })
  .refine(({ url, env }) => url === undefined || env.length === 0, {
    error: "must have no env beside url; name the variable in key_env",
  })
  .refine(({ url, key_env }) => key_env === undefined || isPrivate(url), {
    error: "must have an https url, or one on this machine: the key would go out unencrypted",
  });
export type McpServer = z.infer<typeof McpServer>;

function isPrivate(text: string | undefined): boolean {
  const url = URL.parse(text ?? "");
  return url?.protocol === "https:" || isLoopbackHost(url?.hostname ?? "");
}

export const McpSettings = z.strictObject({
  servers: z.record(serverName, McpServer)
    .refine((servers) => Object.keys(servers).length <= SERVERS, {
      error: `must name ${SERVERS} servers at most`,
    })
    .default({}),
});

/** A server under the name that the config gives it. */
export interface NamedMcpServer extends McpServer {
  readonly name: string;
}

export function serversOf(
  { servers }: z.infer<typeof McpSettings>,
  role: string | undefined,
): readonly NamedMcpServer[] {
  return Object.entries(servers)
    .map(([name, server]) => ({ name, ...server }))
    .filter(({ roles }) => role === undefined || roles.includes(role));
}
