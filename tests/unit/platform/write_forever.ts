/** A program for tests to kill: replaces one file for ever, and prints a line after each time. */
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";

const [how, folder] = Deno.args as ["files" | "folder", string];

async function writer(): Promise<(bytes: Uint8Array) => Promise<void>> {
  if (how === "files") {
    return (bytes) => denoFiles().writeAtomic(`${folder}/target`, bytes);
  }
  const held = await openFolder(folder);
  return async (bytes) => {
    await held.write("target", bytes);
    await held.remove("target");
    await held.write("target", bytes, { expected: null });
  };
}

const write = await writer();
for (let round = 0;; round++) {
  await write(new Uint8Array(64 * 1024).fill(round));
  await Deno.stdout.write(new Uint8Array([10]));
}
