/** An open database, whichever engine keeps it. */
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { ServerLogin } from "./server_login.ts";
import type { Db } from "./schema.ts";

export interface Store extends AsyncDisposable {
  readonly db: Db;
  /** Absolute path of a file, or the address of a server without its password. */
  readonly path: string;
}

export interface StorePorts {
  readonly files: Files;
  readonly clock: Clock;
  /** Absent where only files are opened. */
  readonly servers?: Servers;
}

/** Opens databases of servers; the driver is loaded with the first one. */
export interface Servers {
  /** @throws Failure `usage`, `environment`, `conflict` */
  login(address: string): Promise<ServerLogin>;
  open(address: string): Promise<Store>;
  /** Changes nothing; undefined for a database without svc's schema, or with an older one unless `older`. */
  openToRead(address: string, options: { readonly older?: boolean }): Promise<Store | undefined>;
}
