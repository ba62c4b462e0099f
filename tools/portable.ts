/** Builds `dist/svc`, one self-extracting file: a stub, then Deno and the bundled program; `ARCH` names another machine's. */
import { VERSION } from "svc/core/version.ts";
import { bundle, bundleFolder, run } from "./bundle.ts";
import { root } from "./modules.ts";
import { packedDeno, TAR } from "./packed_deno.ts";

/** Deno's target → the name of its npm package. */
const ARCHES: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-gnu",
  "linux-arm64": "aarch64-unknown-linux-gnu",
};
const payload = `${root}dist/payload.tar.gz`;

/** The same version of Deno for another machine, from npm, which checks its digest. */
async function denoFor(arch: string): Promise<string> {
  if (ARCHES[arch] === Deno.build.target) return Deno.execPath();
  const folder = `${root}.deno/${Deno.version.deno}-${arch}`;
  const found = await Deno.stat(`${folder}/deno`).then(() => true, () => false);
  if (!found) {
    const work = await Deno.makeTempDir({ prefix: "svc-deno-" });
    const name = `@deno/${arch}-glibc@${Deno.version.deno}`;
    try {
      await run("npm", ["pack", "--silent", "--pack-destination", work, name]);
    } catch {
      console.error(`Cannot build for "${arch}": npm gives no ${name}`);
      console.error(`try: put that Deno at ${folder}/deno`);
      Deno.exit(5);
    }
    await run("sh", ["-c", 'tar -xzf "$1"/*.tgz -C "$1"', "unpack", work]);
    await Deno.mkdir(folder, { recursive: true });
    await run("cp", [`${work}/package/deno`, `${folder}/deno.new`]);
    await Deno.rename(`${folder}/deno.new`, `${folder}/deno`);
    await Deno.remove(work, { recursive: true });
  }
  return `${folder}/deno`;
}

async function pack(deno: string): Promise<void> {
  const line = `{ cat "$1"; ${TAR} --mode=go= -C "$2" -cf - . | gzip -6n; } >"$3"`;
  await run("sh", ["-c", line, "pack", await packedDeno(deno), bundleFolder, payload]);
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

/** @param arch one of `ARCHES`; without it, this machine's */
export async function buildPortable(arch?: string): Promise<string> {
  const out = `${root}dist/svc${arch === undefined ? "" : `-${arch}`}`;
  await bundle();
  await pack(arch === undefined ? Deno.execPath() : await denoFor(arch));
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
  const arch = Deno.env.get("ARCH") || undefined;
  if (arch !== undefined && ARCHES[arch] === undefined) {
    console.error(`Cannot build for "${arch}": svc runs on ${Object.keys(ARCHES).join(" and ")}`);
    console.error("try: make portable ARCH=linux-arm64");
    Deno.exit(2);
  }
  const path = await buildPortable(arch);
  const { size } = await Deno.stat(path);
  console.log(`built ${path} (portable, svc ${VERSION}, ${(size / 1e6).toFixed(1)} MB)`);
  console.log(`next: ${path} --help`);
}
