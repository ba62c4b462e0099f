/** The address of a PostgreSQL server as `--db` takes it; nothing here needs the driver. */
import { Failure } from "svc/core/failure.ts";
import { insteadOf, isOtherParameter } from "svc/core/server_parameters.ts";

/** Kinds of TLS, as `sslmode` of libpq has them (postgresql.org/docs/15/libpq-ssl.html). */
export const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = typeof SSL_MODES[number];

const PARAMETERS = ["host", "port", "user", "dbname", "service"] as const;
const FILE_PARAMETERS = ["sslrootcert", "sslcert", "sslkey"] as const;
const SESSIONS = "target_session_attrs";

/** The values of libpq that svc, which writes, can use (postgresql.org/docs/15/libpq-connect.html). */
const SESSION_KINDS = ["any", "read-write", "primary"];

export type AddressPart =
  | typeof PARAMETERS[number]
  | typeof FILE_PARAMETERS[number]
  | typeof SESSIONS
  | "sslmode";

/** What the text says; what it leaves out, files and variables may say. */
export type ServerAddress = Readonly<Partial<Record<AddressPart, string>>>;

export function isServerAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(text);
}

/** Such as `postgres:///svc?host=/run/postgresql`: it takes no network. */
export function isSocketAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\/(?:[^/?@]*@)?(?::\d+)?(?:\/[^?]*)?\?(?:[^#]*&)?host=(?:\/|%2f)/i
    .test(text);
}

/** The text is not repeated: a password may stand anywhere in one that is malformed. */
function refuse(why: string, remedy: string): never {
  throw new Failure("usage", `Cannot use the address of the database server: ${why}`, { remedy });
}

const EXAMPLE = "Write it as postgres://user@host:5432/database";

function decoded(part: string): string {
  try {
    const text = decodeURIComponent(part);
    // deno-lint-ignore no-control-regex -- the protocol ends its texts with a zero byte
    if (!/[\x00-\x1f\x7f]/.test(text)) return text;
  } catch {
    // said below
  }
  return refuse("it has a part that is not encoded as in a URL", EXAMPLE);
}

export function asSslMode(text: string): SslMode {
  const mode = SSL_MODES.find((one) => one === text);
  return mode ?? refuse(`sslmode is none of ${SSL_MODES.join(", ")}`, "Write sslmode=verify-full");
}

/** Whether a host counts only if it takes writes. */
export function asksForWrites(text: string): boolean {
  if (SESSION_KINDS.includes(text)) return text !== "any";
  return refuse(
    `${SESSIONS} is none of ${SESSION_KINDS.join(", ")}`,
    `Write ${SESSIONS}=read-write`,
  );
}

/** Several are parted by commas, as libpq has them. */
function hostsAndPorts(place: string): Pick<Partial<Record<AddressPart, string>>, "host" | "port"> {
  if (place === "") return {};
  const each = place.split(",").map((one) =>
    /^(\[[0-9a-f:.]+\]|[^:[\],]*)(?::(\d{1,5}))?$/i.exec(one)
  );
  if (each.includes(null) || each.length > 1 && each.some((one) => !one![1])) {
    return refuse("it names no host and port", EXAMPLE);
  }
  const hosts = each.map((one) => decoded(one![1]!).replace(/^\[(.*)\]$/, "$1"));
  const ports = each.map((one) => one![2] ?? "");
  return {
    ...(hosts.some((host) => host !== "") && { host: hosts.join(",") }),
    ...(ports.some((port) => port !== "") && { port: ports.join(",") }),
  };
}

/** What a host's address says beside the login is taken where svc does it anyway. */
function mustSayNothing(name: string, value: string, nth: number): void {
  if (!isOtherParameter(name)) {
    return refuse(
      `svc knows no parameter of the name that number ${nth} after its "?" has`,
      `Leave it out, and give only ${
        [...PARAMETERS, "sslmode", ...FILE_PARAMETERS, SESSIONS].join(", ")
      }`,
    );
  }
  const instead = insteadOf(name, value);
  if (instead === undefined) return;
  return refuse(
    `svc does not do what its parameter ${name} asks for`,
    `Leave ${name} out: ${instead}`,
  );
}

/** @throws Failure `usage`. A password is refused: each process of the machine sees the words of a command. */
export function serverAddress(text: string): ServerAddress {
  const found = /^postgres(?:ql)?:\/\/([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(text);
  if (found === null) return refuse("it is no URL", EXAMPLE);
  const [, authority = "", path = "", query = ""] = found;
  const at = authority.lastIndexOf("@");
  const user = at < 0 ? "" : authority.slice(0, at);
  const place = authority.slice(at + 1);
  const parts: Partial<Record<AddressPart, string>> = {};
  const passwordless = "Leave it out, and put it in ~/.pgpass or the file that PGPASSFILE names";
  if (user.includes(":")) return refuse("it holds a password, which ps would show", passwordless);
  Object.assign(parts, hostsAndPorts(place));
  if (user !== "") parts.user = decoded(user);
  if (path !== "") parts.dbname = decoded(path);
  for (const [at, pair] of query.split("&").filter((each) => each !== "").entries()) {
    const cut = pair.indexOf("=");
    const name = decoded(cut < 0 ? pair : pair.slice(0, cut));
    if (name === "password") {
      return refuse("it holds a password, which ps would show", passwordless);
    }
    const known = [...PARAMETERS, ...FILE_PARAMETERS, SESSIONS, "sslmode"].find((one) =>
      one === name
    );
    if (known === undefined) {
      mustSayNothing(name, decoded(cut < 0 ? "" : pair.slice(cut + 1)), at + 1);
      continue;
    }
    parts[known as AddressPart] = decoded(pair.slice(cut + 1));
  }
  if (parts.sslmode !== undefined) asSslMode(parts.sslmode);
  if (parts[SESSIONS] !== undefined) asksForWrites(parts[SESSIONS]);
  return parts;
}
