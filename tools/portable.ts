/** Builds `dist/svc`, one self-extracting file: a stub, then Deno and the bundled program. */
import { VERSION } from "svc/core/version.ts";
import { bundle, bundleFolder, run } from "./bundle.ts";
import { root } from "./modules.ts";

const out = `${root}dist/svc`;
const payload = `${root}dist/payload.tar.gz`;

async function pack(): Promise<void> {
  const stage = `${root}dist/stage`;
  await Deno.remove(stage, { recursive: true }).catch(() => {});
  await Deno.mkdir(stage, { recursive: true });
  await run("cp", ["-R", `${bundleFolder}/.`, stage]);
  await run("cp", ["-L", Deno.execPath(), `${stage}/deno`]);
  await run("chmod", ["0700", `${stage}/deno`]);
  // Fixed order, owner and times: one source gives one hash.
  await run("sh", [
    "-c",
    `tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=go= -C "$1" -cf - . | gzip -6n > "$2"`,
    "pack",
    stage,
    payload,
  ]);
  await Deno.remove(stage, { recursive: true });
}

/** The stub names its own length, so fill it until the length no longer changes. */
function stubText(template: string, hash: string): string {
  const fill = (offset: number) =>
    template.replaceAll("@VERSION@", VERSION).replaceAll("@HASH@", hash)
      .replaceAll("@OFFSET@", String(offset));
  let text = fill(10_000);
  while (text !== fill(text.length + 1)) text = fill(text.length + 1);
  return text;
}

export async function buildPortable(): Promise<string> {
  await bundle();
  await pack();
  const body = await Deno.readFile(payload);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).toHex();
  const template = await Deno.readTextFile(`${root}tools/portable_stub.sh`);
  using file = await Deno.open(`${out}.new`, {
    write: true,
    create: true,
    truncate: true,
    mode: 0o755,
  });
  const writer = file.writable.getWriter();
  await writer.write(new TextEncoder().encode(stubText(template, hash)));
  await writer.write(body);
  await writer.close();
  await Deno.rename(`${out}.new`, out);
  await Deno.remove(payload);
  return out;
}

if (import.meta.main) {
  const path = await buildPortable();
  const { size } = await Deno.stat(path);
  console.log(`built ${path} (portable, svc ${VERSION}, ${(size / 1e6).toFixed(1)} MB)`);
  console.log(`next: ${path} --help`);
}
