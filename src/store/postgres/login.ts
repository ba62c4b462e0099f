/** Works out a login as libpq does: the address, a service file, PG variables, a password file
 * (postgresql.org/docs/15: libpq-connect, libpq-envars, libpq-pgservice, libpq-pgpass, libpq-ssl). */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import {
  type AddressPart,
  asSslMode,
  type ServerAddress,
  serverAddress,
} from "svc/core/server_address.ts";
import type { ServerLogin, ServerTls } from "svc/store/server_login.ts";

interface LoginPorts {
  readonly env: Pick<Env, "get">;
  readonly files: Pick<Files, "readText" | "stat">;
}

/** Each of the files has some lines. */
const LOGIN_FILE_BYTES = 1024 * 1024;

type Part = AddressPart | "password";

const VARIABLES: Readonly<Record<Part, string>> = {
  host: "PGHOST",
  port: "PGPORT",
  user: "PGUSER",
  dbname: "PGDATABASE",
  service: "PGSERVICE",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  password: "PGPASSWORD",
};

function cannot(why: string, remedy: string): Failure {
  return new Failure("environment", `Cannot work out the login of the database server: ${why}`, {
    remedy,
  });
}

/** Undefined where there is none. */
async function fileText({ files }: LoginPorts, path: string): Promise<string | undefined> {
  if (await files.stat(path) === undefined) return undefined;
  return await files.readText(path, { maxBytes: LOGIN_FILE_BYTES });
}

/** The settings of one `[name]` section; undefined where the file has none of that name. */
export function sectionOf(text: string, name: string): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    if (line.startsWith("[")) {
      if (found !== undefined) return found;
      if (line === `[${name}]`) found = {};
      continue;
    }
    const cut = line.indexOf("=");
    if (found !== undefined && cut > 0) {
      found[line.slice(0, cut).trim()] = line.slice(cut + 1).trim();
    }
  }
  return found;
}

async function serviceSettings(
  ports: LoginPorts,
  service: string | undefined,
): Promise<Partial<Record<string, string>>> {
  if (service === undefined) return {};
  const { env } = ports;
  const own = env.get("PGSERVICEFILE") ?? `${env.get("HOME") ?? ""}/.pg_service.conf`;
  const folder = env.get("PGSYSCONFDIR") ?? "/etc/postgresql-common";
  for (const path of [own, `${folder}/pg_service.conf`]) {
    const found = sectionOf(await fileText(ports, path) ?? "", service);
    if (found !== undefined) return found;
  }
  throw cannot(`no service ${quoted(service)} is in ${own}`, `Add a section [${service}] to it`);
}

/** Fields end at ":"; a backslash makes the next character a plain one. */
function fieldsOf(line: string): string[] {
  const fields = [""];
  for (const [part, plain] of line.matchAll(/\\([\s\S])|[\s\S]/g)) {
    if (part === ":") fields.push("");
    else fields[fields.length - 1] += plain ?? part;
  }
  return fields;
}

/** The first line that fits counts; `*` fits anything. */
export function passwordIn(text: string, wanted: readonly string[]): string | undefined {
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue;
    const fields = fieldsOf(line);
    if (fields.length < 5) continue;
    if (wanted.every((value, at) => fields[at] === "*" || fields[at] === value)) return fields[4];
  }
  return undefined;
}

async function storedPassword(
  ports: LoginPorts,
  { host, port, user, database }: Pick<ServerLogin, "host" | "port" | "user" | "database">,
): Promise<string | undefined> {
  const { env, files } = ports;
  const path = env.get("PGPASSFILE") ?? `${env.get("HOME") ?? ""}/.pgpass`;
  const facts = await files.stat(path);
  if (facts === undefined) return undefined;
  if ((facts.mode & 0o077) !== 0) {
    throw cannot(`others may read the password file ${quoted(path)}`, `chmod 600 ${quoted(path)}`);
  }
  const place = host.startsWith("/") ? "localhost" : host;
  const text = await files.readText(path, { maxBytes: LOGIN_FILE_BYTES });
  return passwordIn(text, [place, String(port), database, user]);
}

async function tlsOf(
  ports: LoginPorts,
  said: (part: Part) => string | undefined,
  socket: boolean,
): Promise<ServerTls> {
  const mode = asSslMode(said("sslmode") ?? "prefer");
  if (socket || mode === "disable") return { mode: "disable" };
  const folder = `${ports.env.get("HOME") ?? ""}/.postgresql`;
  const pem = async (part: Part, usual: string) => {
    const named = said(part);
    const text = await fileText(ports, named ?? `${folder}/${usual}`);
    if (named === undefined || text !== undefined) return text;
    throw cannot(`${part} ${quoted(named)} does not exist`, `Name the file that has it`);
  };
  const system = said("sslrootcert") === "system";
  const ca = system ? undefined : await pem("sslrootcert", "root.crt");
  const cert = await pem("sslcert", "postgresql.crt");
  const key = cert === undefined ? undefined : await pem("sslkey", "postgresql.key");
  if (mode.startsWith("verify") && ca === undefined && !system) {
    throw cannot(
      `sslmode is ${mode}, and no certificate of an authority is there`,
      "Name it with sslrootcert=<file>, or trust those of the system with sslrootcert=system",
    );
  }
  return {
    // As libpq has it: with an authority at hand, "require" checks the certificate as well.
    mode: mode === "require" && ca !== undefined ? "verify-ca" : mode,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

/** Where packages of Debian and Fedora put a server's socket. */
const SOCKETS = "/var/run/postgresql";

async function usualHost({ files }: LoginPorts, port: number): Promise<string> {
  const found = await files.stat(`${SOCKETS}/.s.PGSQL.${port}`).catch(() => undefined);
  return found === undefined ? "localhost" : SOCKETS;
}

function shownAs(
  { host, port, user, database }: Pick<ServerLogin, "host" | "port" | "user" | "database">,
  { mode }: ServerTls,
  address: ServerAddress,
): string {
  const socket = host.startsWith("/");
  const place = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
  const query = [
    ...(socket ? [`host=${encodeURIComponent(host)}`] : []),
    ...(address.sslmode === undefined ? [] : [`sslmode=${mode}`]),
  ];
  return `postgres://${encodeURIComponent(user)}@${socket ? "" : place}:${port}/` +
    encodeURIComponent(database) + (query.length === 0 ? "" : `?${query.join("&")}`);
}

/** @throws Failure `usage` for a malformed address; `environment` for files that do not say what is needed */
export async function serverLogin(ports: LoginPorts, text: string): Promise<ServerLogin> {
  const address = serverAddress(text);
  const { env } = ports;
  const service = await serviceSettings(ports, address.service ?? env.get("PGSERVICE"));
  const said = (part: Part): string | undefined => {
    const typed = part === "password" ? undefined : address[part];
    const value = typed ?? service[part] ?? env.get(VARIABLES[part]);
    return value === "" ? undefined : value;
  };
  const user = said("user") ?? env.get("USER") ?? env.get("LOGNAME");
  if (user === undefined) {
    throw cannot("no user is named", "Write postgres://<user>@<host>/<database>");
  }
  const port = Number(said("port") ?? 5432);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw cannot(`the port is ${quoted(String(said("port")))}`, "Name a port from 1 to 65535");
  }
  const host = said("host") ?? await usualHost(ports, port);
  const place = { host, port, user, database: said("dbname") ?? user };
  const tls = await tlsOf(ports, said, place.host.startsWith("/"));
  const password = said("password") ?? await storedPassword(ports, place);
  return {
    ...place,
    shown: shownAs(place, tls, address),
    ...(password !== undefined && { password }),
    tls,
  };
}
