/**
 * Interprets errors of PostgreSQL and of the connection to it: which may be tried again, and what a person is
 * told.
 */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { DatabaseFailure } from "svc/store/database_failure.ts";

/** The one SQLSTATE that pgbouncer has for nearly all that it says. */
const OF_POOLER = "08P01";

/** What it means in those of the server. */
const OF_POOLERS: readonly (readonly [RegExp, string])[] = [
  [/authentication failed|no such user/, "28P01"],
  [/database ".*" does not exist|no such database/, "3D000"],
  [/no more connections allowed/, "53300"],
  [/^SSL required/, ""],
];

/** SQLSTATE (postgresql.org/docs/15/errcodes-appendix.html), or the code of a socket's error. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error && "code" in thrown && typeof thrown.code === "string")) return "";
  const { code, message } = thrown;
  if (code !== OF_POOLER) return code;
  return OF_POOLERS.find(([said]) => said.test(message))?.[1] ?? code;
}

/** A pooler refuses what goes with the login: pgbouncer, and Amazon's RDS Proxy. */
export const refusesSettings = (thrown: unknown) =>
  thrown instanceof Error &&
  /unsupported startup parameter|command-line options/.test(thrown.message);

/** The server says that it has undone the statement: whole statements may be sent again. */
const UNDONE = new Set(["40001", "40P01"]);

export const isUndone = (thrown: unknown) => UNDONE.has(codeOf(thrown));

/** Others have all connections of the server, the user or the database; one may be free in a moment. */
export const isCrowded = (thrown: unknown) => codeOf(thrown) === "53300";

/** This connection leads to a server that has become a copy: another one may lead to the primary. */
export const isCopy = (thrown: unknown) => codeOf(thrown) === "25006";

/** Two processes claimed at once what one of them may have; asked again, the slower sees it taken. */
export const isTaken = (thrown: unknown) => codeOf(thrown) === "23505";

/**
 * A prepared statement gives other columns now, since a newer svc has added some: it was not begun, and is
 * prepared anew ("cached plan must not change result type", plancache.c of PostgreSQL). The server may say so in
 * any language.
 */
export const isStale = (thrown: unknown) =>
  codeOf(thrown) === "0A000" && thrown instanceof Error && "routine" in thrown &&
  thrown.routine === "RevalidateCachedQuery";

/** The server starts or stops, or the network fails: it may be back in a moment. */
const AWAY = /^(?:57P0[123]|08\w{3}|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
const LOST =
  /Connection terminated|Client has encountered a connection error|timeout expired|timeout exceeded when trying to connect|Connection ended unexpectedly|Query read timeout/;

export function isAway(thrown: unknown): boolean {
  if (AWAY.test(codeOf(thrown))) return true;
  return thrown instanceof Error && LOST.test(thrown.message);
}

/** A pooler that knows why waits for a while before it asks the server again: its words say more than that silence. */
export const moreTelling = (before: unknown, thrown: unknown): unknown =>
  codeOf(before) === OF_POOLER && codeOf(thrown) === "" && isAway(thrown) ? before : thrown;

const NAMELESS = new Set(["ENOTFOUND", "EAI_AGAIN"]);

/** The host's name has no address, or cannot be resolved just now. */
export const isNameless = (thrown: unknown) => NAMELESS.has(codeOf(thrown));

interface Reason {
  readonly code: FailureCode;
  readonly why: string;
  readonly remedy: string;
  /** It passes without a change of svc's settings: a job is tried again, and its ticket not blocked. */
  readonly waits?: true;
}

const AWAY_REASON: Reason = {
  code: "environment",
  why: "the server does not answer",
  remedy: "Look whether it runs and can be reached: pg_isready -h <host> -p <port>",
  waits: true,
};

const REFUSED: Reason = {
  code: "environment",
  why: "the server refuses the login",
  remedy: "Check the user, and its password in ~/.pgpass, PGPASSFILE or PGPASSWORD",
};

const REASONS: readonly (readonly [RegExp, Reason])[] = [
  // No line of pg_hba.conf lets it in, or there is no such user (postgresql.org/docs/15/auth-pg-hba-conf.html).
  [/^28000$/, {
    ...REFUSED,
    remedy:
      "Look whether its pg_hba.conf lets the user in from this machine, with TLS or without, " +
      "and whether there is such a user",
  }],
  [/^28/, REFUSED],
  [/^3D000$/, {
    code: "environment",
    why: "the server has no such database",
    remedy: "Make it: createdb -h <host> <database>",
  }],
  [/^42501$/, {
    code: "environment",
    why: "the user may not do this in the database",
    remedy: "Make the user the owner: ALTER DATABASE <database> OWNER TO <user>",
  }],
  [/^53300$/, {
    code: "environment",
    why: "the server takes no more connections",
    remedy: "Raise max_connections, or the limit of the user or database: svc doctor tells which",
    waits: true,
  }],
  [/^53100$/, {
    code: "environment",
    why: "the disk of the server is full",
    remedy: "Free space on it: svc goes on by itself",
    waits: true,
  }],
  [/^(?:53|58|XX)/, {
    code: "environment",
    why: "the server has a fault",
    remedy: "Read its log",
    waits: true,
  }],
  [/^25006$/, {
    code: "environment",
    why: "the server is a read-only copy",
    remedy:
      "Name the primary server; where it is that one, svc doctor tells why it takes no writes",
    waits: true,
  }],
  [/^40(?:001|P01)$/, {
    code: "conflict",
    why: "another connection wanted the same rows at once, and the server undid this one",
    remedy: "Try again; svc serve does so by itself",
    waits: true,
  }],
  [/^(?:55P03|57014|25P03)$/, {
    code: "conflict",
    why: "another connection has held it locked for too long",
    remedy:
      "Find it: SELECT pid, state, query FROM pg_stat_activity WHERE datname = current_database()",
    waits: true,
  }],
];

const TLS =
  /SSL|certificate|self.signed|unable to verify|issuer|altnames|UnknownIssuer|NotValidForName|invalid peer/i;

/** It passes on what the server said to it, without its SQLSTATE and in any language: the words alone tell. */
const poolersReason = ({ message }: Error): Reason => ({
  ...AWAY_REASON,
  why: `the server or a pooler before it says ${quoted(message)}`,
  remedy: "Look whether the server runs, and has the database: psql -h <host> -p <port> -l",
});

function reasonOf(thrown: Error): Reason | undefined {
  const code = codeOf(thrown);
  if (code === OF_POOLER) return poolersReason(thrown);
  if (isAway(thrown)) return AWAY_REASON;
  if (isNameless(thrown)) {
    return { code: "environment", why: "its host has no address", remedy: "Check its name" };
  }
  // The driver's words for what neither takes nor refuses TLS, such as another program's port.
  if (thrown.message === "There was an error establishing an SSL connection") {
    return {
      code: "environment",
      why: "what answers there is not a PostgreSQL server",
      remedy: "Check the host and the port",
    };
  }
  // The driver itself ends a login without a password.
  if (thrown.message.startsWith("SASL:")) return REFUSED;
  const known = REASONS.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return known[1];
  // A statement's own error has a SQLSTATE.
  if (/^[0-9A-Z]{5}$/.test(code) || !TLS.test(thrown.message)) return undefined;
  return {
    code: "environment",
    why: "its TLS is not what sslmode asks for",
    remedy: "Check sslmode and sslrootcert; verify-full asks for the host's own name",
  };
}

/** An error that neither the server nor the network caused, such as a broken constraint, is returned as it is. */
export function serverFailure(thrown: unknown, shown: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof Failure) return thrown;
  const reason = reasonOf(thrown);
  if (reason === undefined) return thrown;
  return new DatabaseFailure(reason.code, `Cannot use the database "${shown}": ${reason.why}`, {
    cause: thrown,
    remedy: reason.remedy,
    ...(reason.waits && { waits: true }),
  });
}
