/** A folder for a while: gone when it is disposed of, when the process ends, or when the next one looks. */
import { osCode } from "./os_errors.ts";

interface TempFolder extends Disposable {
  /** Real path; 0700. */
  readonly path: string;
}

/** A signal that no handler sees leaves the folder: its name says whose it was. */
const nameOf = (what: string) => `svc-${what}-${Deno.pid}-`;

function removeNow(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (thrown) {
    if (osCode(thrown) !== "ENOENT") throw thrown;
  }
}

const lives = (pid: string) => {
  try {
    Deno.lstatSync(`/proc/${pid}`);
    return true;
  } catch {
    return false; // asked just to know
  }
};

/** Removes folders of that name whose process is gone. */
function sweep(parent: string, what: string): void {
  const name = new RegExp(`^svc-${what}-([0-9]{1,10})-`);
  for (const entry of Deno.readDirSync(parent)) {
    const pid = name.exec(entry.name)?.[1];
    if (pid === undefined || !entry.isDirectory || lives(pid)) continue;
    const path = `${parent}/${entry.name}`;
    try {
      if (Deno.lstatSync(path).uid === Deno.uid()) removeNow(path);
    } catch (thrown) {
      // Another process sweeps as well, or something in it is closed or in use: it keeps nobody from a folder.
      if (osCode(thrown) === undefined) throw thrown;
    }
  }
}

/** @param what a word for its name */
export function tempFolder(what: string): TempFolder {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: nameOf(what) }));
  sweep(path.slice(0, path.lastIndexOf("/")), what);
  // A second Ctrl-C ends the process at once, by Deno.exit, which tells of it here.
  const atEnd = () => removeNow(path);
  globalThis.addEventListener("unload", atEnd);
  return {
    path,
    [Symbol.dispose]() {
      globalThis.removeEventListener("unload", atEnd);
      removeNow(path);
    },
  };
}
