/** The hard set: secrets in odd encodings and layouts, one maker a kind. */
import { cased } from "./secret_contexts.ts";
import type { Dice } from "./secret_dice.ts";
import { type Format, FORMATS, pem } from "./secret_formats.ts";

export interface Hard {
  readonly kind: string;
  readonly path: string;
  readonly bytes: Uint8Array;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

function utf16(text: string, order: "le" | "be", mark: boolean): Uint8Array {
  const out = new Uint8Array((text.length + Number(mark)) * 2);
  const view = new DataView(out.buffer);
  [...(mark ? "\ufeff" : ""), ...text.split("")].forEach((char, i) =>
    view.setUint16(i * 2, char.charCodeAt(0), order === "le")
  );
  return out;
}

const plain = FORMATS.filter((format) =>
  format.kind === "structured" && format.needsName !== true &&
  !/url|connection|sas|header|basic|webhook/.test(format.id)
);

/** A token cut in two, not within its prefix. */
function halves(dice: Dice, token: string): [string, string] {
  const at = Math.floor(token.length / 2) + dice.int(5);
  return [token.slice(0, at), token.slice(at)];
}

type Maker = (dice: Dice, format: Format) => { path: string; bytes: Uint8Array };

const name = (format: Format) => cased(format.names[0] ?? "TOKEN", "camel");

export const HARD: Readonly<Record<string, Maker>> = {
  "joined strings": (dice, format) => {
    const [a, b] = halves(dice, format.make(dice));
    return dice.one([
      { path: "a.ts", bytes: utf8(`const ${name(format)} = "${a}" + "${b}";\n`) },
      { path: "a.ts", bytes: utf8(`const ${name(format)} =\n  '${a}' +\n  '${b}';\n`) },
      { path: "a.py", bytes: utf8(`${name(format)} = ("${a}"\n    "${b}")\n`) },
      { path: "a.php", bytes: utf8(`$${name(format)} = '${a}' . '${b}';\n`) },
      { path: "run.sh", bytes: utf8(`TOKEN=${a}\\\n${b}\n`) },
    ]);
  },
  base64: (dice, format) => {
    const value = format.make(dice);
    const encoded = btoa(
      dice.one([value, `${format.names[0]}=${value}\n`, `{"token":"${value}"}`]),
    );
    return dice.one([
      {
        path: "secret.yaml",
        bytes: utf8(`apiVersion: v1\nkind: Secret\ndata:\n  token: ${encoded}\n`),
      },
      { path: "b.json", bytes: utf8(`{"blob": "${encoded}"}\n`) },
      { path: "wrapped.txt", bytes: utf8((encoded.match(/.{1,76}/g) ?? []).join("\n") + "\n") },
    ]);
  },
  "typographic quotes": (dice, format) => ({
    path: "note.md",
    bytes: utf8(`Der Schlüssel ist \u201c${format.make(dice)}\u201d \u2013 bitte löschen.\n`),
  }),
  CRLF: (dice, format) => ({
    path: ".env",
    bytes: utf8(`A=1\r\n${format.names[0]}=${format.make(dice)}\r\nB=2\r\n`),
  }),
  "UTF-16": (dice, format) => ({
    path: "app.config",
    bytes: utf16(
      `<add key="${format.names[0]}" value="${format.make(dice)}" />\r\n`,
      dice.one(["le", "be"]),
      dice.one([true, true, false]),
    ),
  }),
  "long line": (dice, format) => ({
    path: "bundle.js",
    bytes: utf8(`${"var a=1;".repeat(4000)}x("${format.make(dice)}");${"b();".repeat(4000)}\n`),
  }),
  "private key": (dice) => {
    const [kind, size] = dice.one(
      [["RSA", 1190], ["EC", 121], ["OPENSSH", 390], ["", 1217], ["DSA", 448], [
        "ENCRYPTED",
        1300,
      ]] as const,
    );
    const block = pem(dice, kind, size);
    return dice.one([
      { path: "id_rsa", bytes: utf8(`${block}\n`) },
      {
        path: "sa.json",
        bytes: utf8(JSON.stringify({ type: "service_account", private_key: `${block}\n` })),
      },
      {
        path: "key.yaml",
        bytes: utf8(
          `tls:\n  key: |\n${block.split("\n").map((line) => `    ${line}`).join("\n")}\n`,
        ),
      },
      {
        path: "key.diff",
        bytes: utf8(`@@ -0,0 +1,9 @@\n${block.split("\n").map((line) => `+${line}`).join("\n")}\n`),
      },
      { path: "key.ts", bytes: utf8(`const key = \`${block}\`;\n`) },
      {
        path: "Key.java",
        bytes: utf8(
          `String k = ${block.split("\n").map((line) => `"${line}\\n"`).join(" +\n    ")};\n`,
        ),
      },
      { path: "key.env", bytes: utf8(`KEY="${block.replaceAll("\n", "\\n")}"\n`) },
      { path: "key.b64", bytes: utf8(`KEY_B64=${btoa(block)}\n`) },
    ]);
  },
};

export function hardOnes(dice: Dice, each: number): Hard[] {
  return Object.entries(HARD).flatMap(([kind, make]) =>
    Array.from({ length: each }, () => ({ kind, ...make(dice, dice.one(plain)) }))
  );
}
