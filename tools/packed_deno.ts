/** Deno as the first part of a portable build's archive. It is packed once: that takes seconds, and it changes seldom. */
import { root } from "./modules.ts";

/** One source gives one hash: fixed order, owner and times. */
export const TAR =
  "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --blocking-factor=1";
/** The end of an archive (tar(5)), which only the last part has. */
const END_BYTES = 1024;

async function digestOf(path: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(digest).toHex();
}

/** @returns the path of a gzipped tar without an end */
export async function packedDeno(deno: string, folder = `${root}dist`): Promise<string> {
  const packed = `${folder}/deno-${(await digestOf(deno)).slice(0, 16)}.tar.gz`;
  if (await Deno.stat(packed).then(() => true, () => false)) return packed;
  await Deno.mkdir(folder, { recursive: true });
  const line = `${TAR} -P -h --mode=0700 --transform='s,.*,./deno,' -cf "$2.$$" "$1" &&
    truncate -s -${END_BYTES} "$2.$$" && gzip -6n "$2.$$" && mv "$2.$$.gz" "$2"`;
  const { success } = await new Deno.Command("sh", { args: ["-c", line, "pack", deno, packed] })
    .spawn().status;
  if (!success) throw new Error(`Cannot pack "${deno}"`);
  return packed;
}
