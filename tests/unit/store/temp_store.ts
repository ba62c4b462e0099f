/** A database that removes itself: a file in a folder, or one of a server where `useEngine` says so. */
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openStore, type Store, type StorePorts } from "svc/store/open.ts";
import { openServer, openServerToRead } from "svc/store/postgres/open.ts";
import { serverLogin } from "svc/store/postgres/login.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const files = denoFiles();

const login = (address: string) => serverLogin({ env: { get: () => undefined }, files }, address);

export const ports: StorePorts = {
  files,
  clock: systemClock,
  servers: {
    login,
    open: async (address) => await openServer({ clock: systemClock }, await login(address)),
    openToRead: async (address, options) =>
      await openServerToRead({ clock: systemClock }, await login(address), options),
  },
};

export interface TempStore extends Store {
  readonly folder: string;
}

let engine: "file" | "postgres" = "file";

/** For all stores of this test file. */
export function useEngine(chosen: typeof engine): void {
  engine = chosen;
}

/** Opens the file; on a server the database that stands for it, empty at first. */
export async function openTestStore(own: Pick<StorePorts, "clock">, path: string): Promise<Store> {
  if (engine === "file") return await openStore({ ...ports, ...own }, path);
  const { databaseFor } = await import("./server_store.ts");
  return await openStore({ ...ports, ...own }, await databaseFor(path));
}

export async function tempStore(): Promise<TempStore> {
  const folder = await tempFolder();
  const store = await openTestStore(ports, `${folder.path}/db/svc.db`);
  return {
    ...store,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
