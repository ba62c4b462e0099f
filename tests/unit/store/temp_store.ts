/** A database in a folder that removes itself. */
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openStore, type Store } from "svc/store/open.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

export const ports = { files: denoFiles(), clock: systemClock };

export interface TempStore extends Store {
  readonly folder: string;
}

export async function tempStore(): Promise<TempStore> {
  const folder = await tempFolder();
  const store = await openStore(ports, `${folder.path}/db/svc.db`);
  return {
    ...store,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
