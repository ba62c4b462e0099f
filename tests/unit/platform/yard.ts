/** A folder to open, and one beside it that no operation may reach. */
import assert from "node:assert/strict";
import { openFolder } from "svc/platform/files/folder.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

export const text = (content: Uint8Array) => new TextDecoder().decode(content);
export const bytes = (content: string) => new TextEncoder().encode(content);
export const modeOf = (path: string) => (Deno.lstatSync(path).mode ?? 0) & 0o7777;
export const names = (folder: string) =>
  Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();

/** `root` to be opened, beside it `outside` with a file that must stay as it is. */
export async function yard() {
  const dir = await tempFolder();
  const root = `${dir.path}/root`;
  await dir.write("outside/secret", "outside");
  await dir.write("outside/only outside", "");
  await dir.write("root/dir/file", "inside");
  const folder = await openFolder(root);
  return {
    root,
    outside: `${dir.path}/outside`,
    folder,
    write: (path: string, content: string) => dir.write(`root/${path}`, content),
    assertOutsideUntouched() {
      assert.deepEqual(names(`${dir.path}/outside`), ["only outside", "secret"]);
      assert.equal(Deno.readTextFileSync(`${dir.path}/outside/secret`), "outside");
      assert.equal(modeOf(`${dir.path}/outside/secret`) & 0o022, 0);
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}
