/** Debian's pgbouncer before a cluster: one port for each way in which it lends the server's sessions. */
import type { ServerLogin } from "svc/store/server_login.ts";
import { freePort } from "./free_port.ts";
import { addressOf, type Cluster } from "./postgres.ts";
import { tempFolder } from "./temp_repo.ts";
import { exists, until } from "./until.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

export const PGBOUNCER = exists(PROGRAM);

export interface PoolerPlan {
  readonly mode: "session" | "statement" | "transaction";
  /** Lines of its section `[pgbouncer]`. */
  readonly settings?: readonly string[];
  /** Passwords by user; without it everybody comes in. */
  readonly users?: Readonly<Record<string, string>>;
}

export interface Pooler extends AsyncDisposable {
  /** The same database, by way of the pooler. */
  login(of: ServerLogin): ServerLogin;
}

/** It refuses to run as root, as the server does. */
const asOther = (args: readonly string[]) =>
  Deno.uid() !== 0
    ? args
    : ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", ...args];

export async function pooler(
  cluster: Cluster,
  { mode, settings = [], users }: PoolerPlan,
): Promise<Pooler> {
  const folder = await tempFolder("svc-pooler-");
  await Deno.chmod(folder.path, 0o755);
  const port = freePort();
  const listed = Object.entries(users ?? { svc: "" }).map(([user, word]) =>
    `"${user}" "${word}"\n`
  );
  await Deno.writeTextFile(`${folder.path}/users`, listed.join(""));
  await Deno.writeTextFile(
    `${folder.path}/ini`,
    `[databases]
* = host=127.0.0.1 port=${cluster.port} ${users === undefined ? "" : "user=svc"}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pool_mode = ${mode}
auth_type = ${users === undefined ? "trust" : "scram-sha-256"}
auth_file = ${folder.path}/users
${settings.join("\n")}
`,
  );
  const [program, ...args] = asOther([PROGRAM, "-q", `${folder.path}/ini`]);
  const child = new Deno.Command(program!, {
    args,
    ...{ cwd: "/", stdin: "null", stdout: "null", stderr: "null" } as const,
  }).spawn();
  await until(
    () =>
      Deno.connect({ hostname: "127.0.0.1", port }).then((found) => (found.close(), true))
        .catch(() => false),
    () => "no pgbouncer that listens",
  );
  return {
    login(of) {
      const moved = { ...of, host: "127.0.0.1", port };
      return { ...moved, shown: addressOf(moved) };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM"); // at once, whoever is connected
      await child.status;
      await folder[Symbol.asyncDispose]();
    },
  };
}
