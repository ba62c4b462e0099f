/** A PostgreSQL cluster of this process (Debian's package postgresql-15), with a database for each test. */
import { systemClock } from "svc/platform/clock.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { freePort } from "./free_port.ts";

const BIN = "/usr/lib/postgresql";

/** Newest first. */
function programs(): string | undefined {
  try {
    const found = [...Deno.readDirSync(BIN)].map(({ name }) => name)
      .sort((a, b) => Number(b) - Number(a)).map((name) => `${BIN}/${name}/bin`)
      .find((bin) => Deno.statSync(`${bin}/initdb`).isFile);
    return found;
  } catch {
    return undefined;
  }
}

export const POSTGRES = programs();

/** The server refuses to run as root; a container for tests often has no other user. */
function asOther(command: readonly string[]): readonly string[] {
  if (Deno.uid() !== 0) return command;
  return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", ...command];
}

async function run(command: readonly string[]): Promise<string> {
  const [program, ...args] = asOther(command);
  const { success, stdout, stderr } = await new Deno.Command(program!, { args, cwd: "/" }).output();
  const text = new TextDecoder().decode(success ? stdout : stderr);
  if (!success) throw new Error(`${command.join(" ")}: ${text}`);
  return text;
}

export interface ClusterPlan {
  /** Survives a crash of the server; slower. */
  readonly durable?: boolean;
  /** Lines of postgresql.conf. */
  readonly settings?: readonly string[];
  /** Lines of pg_hba.conf, before those that trust the socket and loopback. */
  readonly access?: readonly string[];
  /** An empty folder that its user may write, such as one of a small disk; else a temporary one. */
  readonly folder?: string;
  /** Becomes a standby of it, and takes its settings. */
  readonly standbyOf?: Cluster;
}

export interface Cluster extends AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  readonly login: ServerLogin;
  /** A new, empty database. */
  database(): Promise<ServerLogin>;
  /** As its superuser, in the database `postgres` or the one named. @returns its output */
  psql(sql: string, database?: string): Promise<string>;
  start(): Promise<void>;
  /** A standby takes writes from now on. */
  promote(): Promise<void>;
  /** `immediate`: as a crash, without a word to anybody. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** At once and without waiting, where nothing can be awaited any more. */
  kill(): void;
}

/** Address of a login, as `--db` takes it. */
export const addressOf = ({ host, port, user, database }: ServerLogin) =>
  `postgres://${user}@${host}:${port}/${database}`;

async function ownFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-postgres-" });
  await Deno.chmod(folder, 0o755);
  if (Deno.uid() === 0) await new Deno.Command("chown", { args: ["postgres", folder] }).output();
  return folder;
}

async function makeData(data: string, { standbyOf }: ClusterPlan): Promise<void> {
  if (standbyOf !== undefined) {
    const from = ["-h", standbyOf.folder, "-p", String(standbyOf.port), "-U", "svc"];
    await run([`${POSTGRES}/pg_basebackup`, ...from, "-D", data, "-R", "-c", "fast", "--no-sync"]);
    return;
  }
  const how = ["-U", "svc", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  // Small segments, so that a small disk has room for some.
  await run([`${POSTGRES}/initdb`, "-D", data, ...how, "--wal-segsize=1"]);
}

export async function startCluster(plan: ClusterPlan = {}): Promise<Cluster> {
  if (POSTGRES === undefined) throw new Error("PostgreSQL is not installed");
  const folder = plan.folder ?? await ownFolder();
  const data = `${folder}/data`;
  await makeData(data, plan);
  const port = freePort();
  const settings = [
    "max_connections = 60",
    "shared_buffers = '64MB'",
    "log_min_messages = fatal",
    ...(plan.durable ? [] : ["fsync = off", "full_page_writes = off", "synchronous_commit = off"]),
    ...plan.settings ?? [],
  ];
  const place = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    `unix_socket_directories = '${folder}'`,
  ];
  const before = plan.standbyOf === undefined
    ? settings
    : [await Deno.readTextFile(`${data}/postgresql.conf`), ...plan.settings ?? []];
  await write(`${data}/postgresql.conf`, [...before, ...place]);
  if (plan.access !== undefined) {
    await write(`${data}/pg_hba.conf`, [
      ...plan.access,
      "local all all trust",
      "host all all 127.0.0.1/32 trust",
    ]);
  }
  const control = (...words: string[]) =>
    run([`${POSTGRES}/pg_ctl`, "-D", data, "-w", "-s", "-l", `${folder}/log`, ...words]);
  const login = {
    host: "127.0.0.1",
    port,
    user: "svc",
    database: "postgres",
    tls: { mode: "disable" },
  } as const;
  const psql = (sql: string, database = "postgres") =>
    run([
      `${POSTGRES}/psql`,
      "-h",
      folder,
      "-p",
      String(port),
      "-U",
      "svc",
      "-d",
      database,
      "-XAtq",
      "-v",
      "ON_ERROR_STOP=1",
      "-c",
      sql,
    ]);
  let made = 0;
  await control("start");
  await endWithUs(folder);
  return {
    folder,
    port,
    login: { ...login, shown: addressOf({ ...login, shown: "" }) },
    async database() {
      const database = `t${++made}_${systemClock.now()}`;
      await psql(`CREATE DATABASE ${database}`);
      const own = { ...login, database, shown: "" };
      return { ...own, shown: addressOf(own) };
    },
    psql,
    start: async () => void await control("start"),
    promote: async () => void await control("promote"),
    stop: async (mode = "fast") => void await control("stop", "-m", mode),
    kill() {
      const pid = Number(Deno.readTextFileSync(`${data}/postmaster.pid`).split("\n", 1)[0]);
      Deno.kill(pid, "SIGQUIT");
      Deno.removeSync(folder, { recursive: true });
    },
    async [Symbol.asyncDispose]() {
      await control("stop", "-m", "immediate").catch(() => {});
      await Deno.remove(data, { recursive: true });
      if (plan.folder === undefined) await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Ends the cluster when this process is gone, however it ended; a session of its own outlives `timeout`. */
async function endWithUs(folder: string): Promise<void> {
  const script = `(while kill -0 $1 2>/dev/null && test -d "$2"; do sleep 1; done
    test -d "$2" || exit 0
    kill -QUIT $(head -n 1 "$2/data/postmaster.pid"); sleep 1; rm -rf "$2") >/dev/null 2>&1 &`;
  const args = ["sh", "-c", script, "sh", String(Deno.pid), folder];
  await new Deno.Command("setsid", { args, stdout: "null", stderr: "null" }).output();
}

/** Through the other user, who owns the folder. */
async function write(path: string, lines: readonly string[]): Promise<void> {
  await Deno.writeTextFile(path, lines.map((line) => `${line}\n`).join(""));
}
