/** Secret rules for private keys, signed tokens and their containers. */
import { type SecretRule, token } from "./rule.ts";

const KIND = "(?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?";

/** A key's body has at least this much base64; shorter ones are samples. */
const BODY_CHARS = 64;

function bodyOf(block: string): string {
  return block
    .replace(/-----(?:BEGIN|END)[A-Z0-9 ]{0,40}-----/g, " ")
    .replace(/\\[nrt]|\\\n/g, "\n")
    .replace(
      /^[\s>+\-#*/|"'`,;.&]{0,16}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Key-[A-Za-z]+|Encryption|MAC-[A-Z]+|[A-Z][A-Za-z-]{2,20}):.*$/gm,
      "",
    )
    .replace(/[^A-Za-z0-9+/=]/g, "");
}

function looksLikeKeyBody(block: string): boolean {
  const body = bodyOf(block);
  if (body.length < BODY_CHARS) return false;
  if (
    /(?:x{6}|X{6}|\.{6})|example|your.{0,12}key|private.?key.?here|placeholder|redacted/i.test(body)
  ) return false;
  return new Set(body).size >= 24;
}

function json(part: string): unknown {
  try {
    return JSON.parse(atob(part.replace(/-/g, "+").replace(/_/g, "/")));
  } catch {
    return undefined; // neither base64url nor JSON
  }
}

/** RFC 7515: the first part is the base64url of a JSON object with `alg`. */
function headerDecodes(jwt: string): boolean {
  const header = json(jwt.split(".")[0] ?? "");
  return typeof header === "object" && header !== null && ("alg" in header || "typ" in header);
}

export const keyRules = (): readonly SecretRule[] => [
  {
    id: "private-key",
    about: "Private key in PEM, OpenSSH or PGP armor",
    kind: "structured",
    keywords: ["-----BEGIN "],
    pattern: new RegExp(
      `-----BEGIN ${KIND}-----(?:(?!-----)[A-Za-z0-9+/=\\s\\\\"'\`,;:.&>|#*()_\\-]){${BODY_CHARS},16000}(?:-----END ${KIND}-----)?`,
    ),
    verbatim: true,
    openLeft: true,
    check: looksLikeKeyBody,
    examples: (draw) => {
      const body = Array.from({ length: 12 }, () => draw.base64(64)).join("\n");
      const begin = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----`;
      const end = (kind: string) => `-----END ${kind}PRIVATE KEY-----`;
      return ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", ""].map((kind) =>
        `${begin(kind)}\n${body}\n${end(kind)}`
      ).concat(
        `{"private_key": "${begin("")}\\n${body.replaceAll("\n", "\\n")}\\n${end("")}\\n"}`,
        `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${body}\n-----END PGP PRIVATE KEY BLOCK-----`,
      );
    },
    lookalikes: (draw) => [
      "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----",
      `-----BEGIN PUBLIC KEY-----\n${draw.base64(64)}\n-----END PUBLIC KEY-----`,
      `-----BEGIN CERTIFICATE-----\n${draw.base64(64)}\n-----END CERTIFICATE-----`,
      'if (text.includes("-----BEGIN PRIVATE KEY-----")) return true;',
    ],
  },
  {
    id: "ssh2-private-key",
    about: "Private key in SSH.com or PuTTY format",
    kind: "structured",
    keywords: ["PuTTY-User-Key-File", "SSH2 ENCRYPTED PRIVATE KEY"],
    pattern:
      /PuTTY-User-Key-File-\d: [\s\S]{0,1500}?Private-Lines: \d{1,3}\s{1,2}(?<secret>[A-Za-z0-9+/=\s]{60,8000})|SSH2 ENCRYPTED PRIVATE KEY ----\s[\s\S]{0,400}?\n(?<block>[A-Za-z0-9+/=\s]{60,8000})/,
    verbatim: true,
    examples: (draw) => [
      `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: a\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\n${
        draw.base64(64)
      }\nPrivate-MAC: ${draw.hex(64)}`,
    ],
    lookalikes: () => ["PuTTY-User-Key-File-3: ssh-ed25519"],
  },
  {
    id: "jwt",
    about: "JSON Web Token",
    kind: "structured",
    keywords: ["eyJ", "ewog", "ewo"],
    pattern:
      /e[yw][A-Za-z0-9_-]{14,400}\.e[yw][A-Za-z0-9_-]{8,6000}\.[A-Za-z0-9_-]{16,1200}(?![\w-])/,
    check: headerDecodes,
    examples: (draw) => {
      const part = (of: unknown) => btoa(JSON.stringify(of)).replace(/=+$/, "");
      return [
        `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: draw.digits(9), iat: 1700000000 })}.${
          draw.url64(43)
        }`,
      ];
    },
    lookalikes: (draw) => [
      `eyJ${draw.base62(40)}`,
      `eyJ${draw.base62(20)}.eyJ${draw.base62(20)}.${draw.base62(43)}`,
    ],
  },
  token({
    id: "age-secret-key",
    about: "age secret key",
    prefix: "AGE-SECRET-KEY-1",
    body: "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    example: (draw) => draw.from("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
  }),
  token({
    id: "age-plugin-key",
    about: "age post-quantum secret key",
    prefix: "AGE-SECRET-KEY-PQ-1",
    body: "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,90}",
    example: (draw) => draw.from("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
  }),
  token({
    id: "wireguard-private-key",
    about: "WireGuard private or preshared key",
    prefix: ["PrivateKey = ", "PresharedKey = ", "PrivateKey=", "PresharedKey="],
    body: "(?<secret>[A-Za-z0-9+/]{42}[AEIMQUYcgkosw480]=)",
    openLeft: true,
    example: (draw) => `${draw.base64(42)}Y=`,
  }),
  {
    id: "jwk-private",
    about: "Private JSON Web Key",
    kind: "structured",
    keywords: ['"d"', '\\"d\\"'],
    pattern: /\\?"d\\?"\s{0,4}:\s{0,4}\\?"(?<secret>[A-Za-z0-9_-]{40,700})\\?"/,
    openLeft: true,
    check: (_secret, { text, index, match }) =>
      text.slice(Math.max(0, index - 1500), index + match.length + 1500).includes('"kty'),
    examples: (draw) => [
      `{"kty":"EC","crv":"P-256","x":"${draw.url64(43)}","y":"${draw.url64(43)}","d":"${
        draw.url64(43)
      }"}`,
    ],
    lookalikes: (draw) => [`{"kty":"EC","x":"${draw.url64(43)}"}`, `{"d": "${draw.base62(50)}"}`],
  },
];
