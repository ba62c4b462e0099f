/** The address of a PostgreSQL server as `--db` takes it; nothing here needs the driver. */
import { Failure } from "svc/core/failure.ts";

/** Kinds of TLS, as `sslmode` of libpq has them (postgresql.org/docs/15/libpq-ssl.html). */
export const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = typeof SSL_MODES[number];

const PARAMETERS = ["host", "port", "user", "dbname", "service"] as const;
const FILE_PARAMETERS = ["sslrootcert", "sslcert", "sslkey"] as const;

export type AddressPart = typeof PARAMETERS[number] | typeof FILE_PARAMETERS[number] | "sslmode";

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
  const where = /^(\[[0-9a-f:.]+\]|[^:[\],]*)(?::(\d{1,5}))?$/i.exec(place);
  if (where === null) return refuse("it names no single host and port", EXAMPLE);
  const [, host = "", port] = where;
  if (user !== "") parts.user = decoded(user);
  if (host !== "") parts.host = decoded(host).replace(/^\[(.*)\]$/, "$1");
  if (port !== undefined) parts.port = port;
  if (path !== "") parts.dbname = decoded(path);
  for (const pair of query.split("&").filter((each) => each !== "")) {
    const cut = pair.indexOf("=");
    const name = decoded(cut < 0 ? pair : pair.slice(0, cut));
    if (name === "password") {
      return refuse("it holds a password, which ps would show", passwordless);
    }
    const known = [...PARAMETERS, ...FILE_PARAMETERS, "sslmode"].find((one) => one === name);
    if (known === undefined) {
      return refuse(
        `svc knows no parameter of that name there`,
        `Give only ${[...PARAMETERS, "sslmode", ...FILE_PARAMETERS].join(", ")}`,
      );
    }
    parts[known as AddressPart] = decoded(pair.slice(cut + 1));
  }
  if (parts.sslmode !== undefined) asSslMode(parts.sslmode);
  return parts;
}
