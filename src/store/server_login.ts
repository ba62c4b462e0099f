/** Everything a connection to a database server needs. Only the password, certificates and keys are secret. */
import type { SslMode } from "svc/core/server_address.ts";

export interface ServerLogin {
  /** The whole address without any secret: how svc names the database everywhere. */
  readonly shown: string;
  /** A name, an IP address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
  readonly tls: ServerTls;
  /** Further hosts of the same database, tried in this order where one is away. */
  readonly others?: readonly ServerPlace[];
  /** A host counts only if it takes writes. */
  readonly writable?: boolean;
}

export type ServerPlace = Pick<ServerLogin, "host" | "password" | "port">;

export interface ServerTls {
  readonly mode: SslMode;
  /** PEM; absent: those of the system. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** As Deno's net permission names it. */
export function hostOfLogin({ host, port }: Pick<ServerLogin, "host" | "port">): string {
  if (host.startsWith("/")) return `unix:${host}/.s.PGSQL.${port}`;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

export const hostsOfLogin = (login: Pick<ServerLogin, "host" | "others" | "port">): string[] =>
  [login, ...login.others ?? []].map(hostOfLogin);
