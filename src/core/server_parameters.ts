/** Parameters of libpq that svc gives no meaning to: what they may say, since nothing changes by it, and what else
 * leads there (postgresql.org/docs/18/libpq-connect.html, 34.1.2; its variables: 34.15). */

interface Parameter {
  /** Values that ask for nothing that svc does not do. An empty one is the usual one to libpq. */
  readonly fits: RegExp;
  /** What to do in place of another value. */
  readonly instead: string;
  /** The variable that says it as well, where svc must not pass over it. */
  readonly variable?: string;
}

const ANY = /^/;
const EMPTY = /^$/;

const OWN_SCHEMA =
  "give the schema or the role to the user for good: ALTER ROLE <user> SET …; an endpoint is told by the host's name, " +
  "which svc sends with TLS";

const PARAMETERS: ReadonlyMap<string, Parameter> = new Map(Object.entries({
  // svc says by itself who it is, waits 5 s for each host and tries again, and asks idle connections after 15 s.
  application_name: { fits: ANY, instead: "" },
  fallback_application_name: { fits: ANY, instead: "" },
  connect_timeout: { fits: /^-?\d{0,9}$/, instead: "else write whole seconds" },
  keepalives: { fits: /^[01]?$/, instead: "else write 0 or 1" },
  keepalives_idle: { fits: /^\d{0,9}$/, instead: "else write whole seconds" },
  keepalives_interval: { fits: /^\d{0,9}$/, instead: "else write whole seconds" },
  keepalives_count: { fits: /^\d{0,9}$/, instead: "else write a number" },
  tcp_user_timeout: { fits: /^\d{0,9}$/, instead: "else write whole milliseconds" },
  client_encoding: { fits: /^(?:auto|utf-?8)?$/i, instead: "svc writes UTF8" },
  sslcompression: { fits: /^0?$/, instead: "no server has compressed for years" },
  sslsni: { fits: /^1?$/, instead: "svc sends the host's name with TLS" },
  ssl_min_protocol_version: {
    fits: /^(?:TLSv1(?:\.[12])?)?$/i,
    instead: "svc takes TLSv1.2 and newer; have the server ask for more",
    variable: "PGSSLMINPROTOCOLVERSION",
  },
  ssl_max_protocol_version: { fits: /^(?:TLSv1\.3)?$/i, instead: "svc takes up to TLSv1.3" },
  sslnegotiation: {
    fits: /^(?:postgres)?$/,
    instead: "svc asks for TLS first, which each server understands",
    variable: "PGSSLNEGOTIATION",
  },
  gssencmode: {
    fits: /^(?:disable|prefer)?$/,
    instead: "svc uses TLS, not GSSAPI: sslmode=verify-full",
    variable: "PGGSSENCMODE",
  },
  channel_binding: {
    fits: /^(?:disable|prefer)?$/,
    instead: "svc cannot bind a login to its TLS; sslmode=verify-full with sslrootcert=system " +
      "keeps an impostor out as well",
    variable: "PGCHANNELBINDING",
  },
  load_balance_hosts: {
    fits: /^(?:disable)?$/,
    instead: "svc tries hosts in their order",
    variable: "PGLOADBALANCEHOSTS",
  },
  hostaddr: {
    fits: EMPTY,
    instead: "name the address as the host",
    variable: "PGHOSTADDR",
  },
  options: { fits: EMPTY, instead: OWN_SCHEMA, variable: "PGOPTIONS" },
  passfile: { fits: EMPTY, instead: "PGPASSFILE names the file" },
  require_auth: {
    fits: EMPTY,
    instead: "sslmode=verify-full keeps an impostor out",
    variable: "PGREQUIREAUTH",
  },
  requirepeer: {
    fits: EMPTY,
    instead: "put the socket in a folder of that user's own",
    variable: "PGREQUIREPEER",
  },
  sslpassword: { fits: EMPTY, instead: "let sslkey name a key without a passphrase" },
  sslcrl: {
    fits: EMPTY,
    instead: "svc reads no list of revoked certificates",
    variable: "PGSSLCRL",
  },
  sslcrldir: {
    fits: EMPTY,
    instead: "svc reads no list of revoked certificates",
    variable: "PGSSLCRLDIR",
  },
  sslcertmode: {
    fits: /^(?:allow)?$/,
    instead: "svc shows sslcert to a server that asks for one",
    variable: "PGSSLCERTMODE",
  },
  replication: { fits: EMPTY, instead: "svc opens usual connections" },
  // Other programs' parameters, as hosts print them.
  ssl: { fits: EMPTY, instead: "write sslmode=require or verify-full" },
  sslaccept: { fits: EMPTY, instead: "write sslmode=require or verify-full" },
  pgbouncer: { fits: EMPTY, instead: "name the pooler's address whose mode is session" },
  schema: { fits: EMPTY, instead: OWN_SCHEMA },
  currentSchema: { fits: EMPTY, instead: OWN_SCHEMA },
  connection_limit: { fits: EMPTY, instead: "svc takes up to 8 connections a process" },
  pool_timeout: { fits: EMPTY, instead: "svc waits and tries again by itself" },
}));

/** Names whose parameter may be named in a message: any other text may be a part of a password. */
export const isOtherParameter = (name: string) => PARAMETERS.has(name);

/** What to do in place of it; undefined where nothing is to be done. */
export function insteadOf(name: string, value: string): string | undefined {
  const known = PARAMETERS.get(name);
  return known === undefined || known.fits.test(value) ? undefined : known.instead;
}

/** The parameters that variables say too, which no svc may pass over: each changes where or how a login goes. */
export const BINDING_VARIABLES: readonly (readonly [parameter: string, variable: string])[] = [
  ...PARAMETERS,
].flatMap(([name, { variable }]) => variable === undefined ? [] : [[name, variable] as const]);
