/** Big trees for the secret scan: text of real files, cut and put together anew, and npm packages. */
import { Dice } from "./secret_dice.ts";

/** Extensions whose files serve as material. */
const TEXT = /\.(?:[cm]?[jt]sx?|json|md|ya?ml|css|html|map|txt)$/;
const MATERIAL_BYTES = 60e6;

function material(folder: string, into: Uint8Array[], size = { bytes: 0 }): Uint8Array[] {
  for (const { name, isDirectory, isFile } of Deno.readDirSync(folder)) {
    if (size.bytes > MATERIAL_BYTES) break;
    const path = `${folder}/${name}`;
    if (isDirectory && name !== ".git" && name !== ".cache") material(path, into, size);
    else if (isFile && TEXT.test(name)) {
      const bytes = Deno.readFileSync(path);
      if (bytes.length < 64 || bytes.length > 4e6) continue;
      into.push(bytes);
      size.bytes += bytes.length;
    }
  }
  return into;
}

/** Writes some `megabytes` of files of source text below `folder`; nothing when it is there already. */
export function writeTree(folder: string, from: string, megabytes: number, seed: number): void {
  const done = `${folder}/.done-${megabytes}-${seed}`;
  try {
    Deno.statSync(done);
    return;
  } catch {
    // not there yet
  }
  const dice = new Dice(seed);
  const pieces = material(from, []);
  let left = megabytes * 1e6;
  for (let n = 0; left > 0; n++) {
    // Most source files have some kilobytes, few have hundreds.
    const size = Math.min(Math.floor(1000 * 2 ** (dice.roll() * 8 - 1)), left);
    const parts: Uint8Array[] = [];
    for (let have = 0; have < size;) {
      const piece = dice.one(pieces);
      const start = dice.int(piece.length);
      const part = piece.subarray(start, start + Math.min(16384, size - have));
      parts.push(part);
      have += part.length;
    }
    const path = `${folder}/${n % 97}/${n % 13}`;
    Deno.mkdirSync(path, { recursive: true });
    Deno.writeFileSync(
      `${path}/f${n}.${dice.one(["ts", "js", "json", "md", "yaml", "py"])}`,
      new Uint8Array(joined(parts)),
    );
    left -= size;
  }
  Deno.writeTextFileSync(done, "");
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Ten packages that most people know, with all that they bring along. */
export const PACKAGES = [
  "typescript@7.0.2",
  "react@19.3.1",
  "express@5.3.0",
  "lodash@4.18.1",
  "webpack@5.112.2",
  "eslint@10.15.0",
  "prettier@3.10.1",
  "next@16.4.6",
  "axios@1.21.1",
  "@aws-sdk/client-s3@3.1169.0",
];

/** Twenty others, which no rule was tried on: 330 MB, with samples of clouds and of telephony. */
export const OTHER_PACKAGES = [
  "@angular/core@21.2.26",
  "@kubernetes/client-node@2.0.1",
  "@notionhq/client@5.26.0",
  "@rails/ujs@7.1.600",
  "@slack/web-api@8.2.0",
  "aws-cdk-lib@2.276.0",
  "discord.js@14.28.1",
  "graphql@16.15.0",
  "jest@30.5.2",
  "lucide@1.65.0",
  "mongoose@9.12.1",
  "mysql2@3.24.6",
  "nodemailer@10.6.0",
  "pg@8.23.1",
  "rxjs@7.8.2",
  "socket.io@4.8.4",
  "stripe@23.1.0",
  "three@0.187.0",
  "twilio@6.2.0",
  "vite@8.3.8",
];

/** Installs the packages below `folder`, without their scripts; nothing when they are there already. */
export async function installPackages(
  folder: string,
  packages: readonly string[] = PACKAGES,
): Promise<string> {
  const modules = `${folder}/node_modules`;
  const done = await Deno.stat(`${folder}/.done`).then(() => true, () => false);
  if (done) return modules;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/package.json`, '{"private": true}\n');
  const { code, stderr } = await new Deno.Command("npm", {
    args: [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
      ...packages,
    ],
    cwd: folder,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) {
    throw new Error(`npm install ended with ${code}: ${new TextDecoder().decode(stderr)}`);
  }
  await Deno.writeTextFile(`${folder}/.done`, "");
  return modules;
}

/** Every path below `folder`, relative to it, in a fixed order. */
export function pathsBelow(folder: string, below = ""): string[] {
  return [...Deno.readDirSync(`${folder}/${below}`)].sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(
      ({ name, isDirectory }) => {
        const path = below === "" ? name : `${below}/${name}`;
        return isDirectory ? pathsBelow(folder, path) : [path];
      },
    );
}
