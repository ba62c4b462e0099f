/** Works out a login as libpq does: the address, a service file, PG variables, a password file
 * (postgresql.org/docs/15: libpq-connect, libpq-envars, libpq-pgservice, libpq-pgpass, libpq-ssl). */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import { factsThrough } from "svc/platform/files/through_links.ts";
import {
  type AddressPart,
  asksForWrites,
  asSslMode,
  type ServerAddress,
  serverAddress,
} from "svc/core/server_address.ts";
import { BINDING_VARIABLES, insteadOf } from "svc/core/server_parameters.ts";
import type { ServerLogin, ServerPlace, ServerTls } from "svc/store/server_login.ts";

interface LoginPorts {
  readonly env: Pick<Env, "get">;
  readonly files: Pick<Files, "readText" | "realPath" | "stat">;
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
  target_session_attrs: "PGTARGETSESSIONATTRS",
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
  const facts = await factsThrough(files, path);
  if (facts === undefined) return undefined;
  if ((facts.mode & 0o077) !== 0) {
    throw cannot(
      `others may read the password file ${quoted(path)}`,
      `chmod 600 ${shellWord(path)}`,
    );
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
  { user, database, places, writable }: Pick<ServerLogin, "user" | "database"> & {
    readonly places: readonly ServerPlace[];
    readonly writable: boolean;
  },
  { mode }: ServerTls,
  address: ServerAddress,
): string {
  const [{ host }] = places as [ServerPlace];
  const socket = host.startsWith("/");
  const named = places.map(({ host, port }) => {
    const place = host.includes(":") ? `[${host}]` : encodeURIComponent(host);
    return `${socket ? "" : place}:${port}`;
  });
  const query = [
    ...(socket ? [`host=${encodeURIComponent(host)}`] : []),
    ...(address.sslmode === undefined ? [] : [`sslmode=${mode}`]),
    ...(writable ? ["target_session_attrs=read-write"] : []),
  ];
  return `postgres://${encodeURIComponent(user)}@${named.join(",")}/` +
    encodeURIComponent(database) + (query.length === 0 ? "" : `?${query.join("&")}`);
}

/** One port stands for all hosts (libpq-connect, 34.1.1.3). */
function placesIn(host: string | undefined, port: string | undefined) {
  const hosts = host?.split(",") ?? [undefined];
  const ports = port?.split(",") ?? [""];
  if (ports.length > 1 && ports.length !== hosts.length) {
    throw cannot(
      `there are ${hosts.length} hosts and ${ports.length} ports`,
      "Name one port for all hosts, or one for each",
    );
  }
  const mixed = hosts.length > 1 && hosts.some((one) => one === "" || one?.startsWith("/"));
  if (mixed) throw cannot("one of several hosts is none of a network", "Name hosts alone");
  return hosts.map((one, at) => {
    const text = (ports.length === 1 ? ports[0] : ports[at]) || "5432";
    const number = Number(text);
    if (Number.isInteger(number) && number > 0 && number < 65536) {
      return { host: one, port: number };
    }
    throw cannot(`the port is ${quoted(text)}`, "Name a port from 1 to 65535");
  });
}

/** Passed over, it would make a login go elsewhere, or by less, than that of psql: none is, as none in an address. */
function mustBeUnsaid(env: Pick<Env, "get">, service: Partial<Record<string, string>>): void {
  for (const [name, value = ""] of Object.entries(service)) {
    const instead = insteadOf(name, value);
    if (instead === undefined) continue;
    throw cannot(
      `svc does not do what ${name} of the service file asks for`,
      `Take ${name} out of its section: ${instead}`,
    );
  }
  for (const [name, variable] of BINDING_VARIABLES) {
    const instead = name in service ? undefined : insteadOf(name, env.get(variable) ?? "");
    if (instead === undefined) continue;
    throw cannot(`svc does not do what ${variable} asks for`, `unset ${variable}; ${instead}`);
  }
}

/** @throws Failure `usage` for a malformed address; `environment` for files that do not say what is needed */
export async function serverLogin(ports: LoginPorts, text: string): Promise<ServerLogin> {
  const address = serverAddress(text);
  const { env } = ports;
  const service = await serviceSettings(ports, address.service ?? env.get("PGSERVICE"));
  mustBeUnsaid(env, service);
  const said = (part: Part): string | undefined => {
    const typed = part === "password" ? undefined : address[part];
    const value = typed ?? service[part] ?? env.get(VARIABLES[part]);
    return value === "" ? undefined : value;
  };
  const user = said("user") ?? env.get("USER") ?? env.get("LOGNAME");
  if (user === undefined) {
    throw cannot("no user is named", "Write postgres://<user>@<host>/<database>");
  }
  const database = said("dbname") ?? user;
  const places: ServerPlace[] = [];
  for (const { host: named, port } of placesIn(said("host"), said("port"))) {
    const host = named ?? await usualHost(ports, port);
    const stored = () => storedPassword(ports, { host, port, user, database });
    const password = said("password") ?? await stored();
    places.push({ host, port, ...(password !== undefined && { password }) });
  }
  const [first, ...others] = places as [ServerPlace, ...ServerPlace[]];
  const tls = await tlsOf(ports, said, first.host.startsWith("/"));
  const writable = asksForWrites(said("target_session_attrs") ?? "any");
  return {
    ...{ ...first, user, database, tls },
    shown: shownAs({ user, database, places, writable }, tls, address),
    ...(others.length > 0 && { others }),
    ...(writable && { writable }),
  };
}
