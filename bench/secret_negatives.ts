/** Texts without a secret that look as if they held one: what real repositories are full of. */
import { cased } from "./secret_contexts.ts";
import type { Dice } from "./secret_dice.ts";
import { publicKeys, vectors, words } from "./secret_negatives_text.ts";

export interface Innocent {
  readonly kind: string;
  readonly path: string;
  readonly text: string;
}

const NAMES = [
  "password",
  "DB_PASSWORD",
  "api_key",
  "apiKey",
  "secret",
  "CLIENT_SECRET",
  "access_token",
  "authToken",
  "AWS_SECRET_ACCESS_KEY",
  "GITHUB_TOKEN",
  "STRIPE_SECRET_KEY",
  "OPENAI_API_KEY",
  "SLACK_BOT_TOKEN",
  "private_key",
  "encryptionKey",
] as const;

export type Maker = (dice: Dice) => { path: string; text: string };

/** What stands after a prefix when no real token does. */
const blank = (dice: Dice, n: number) =>
  dice.one([
    "x".repeat(n),
    "X".repeat(n),
    "0".repeat(n),
    "*".repeat(n),
    "your-token-here",
    "<token>",
    "EXAMPLE".repeat(6).slice(0, n),
    "...",
  ]);

const placeholders: Maker = (dice) => {
  const name = dice.one(NAMES);
  const value = dice.one([
    "changeme",
    "your_api_key_here",
    "YOUR-TOKEN",
    "<your-password>",
    "xxxxxxxxxxxxxxxxxxxx",
    "********",
    "REPLACE_ME",
    "example",
    "insert-key-here",
    "TODO",
    "${" + cased(name, "upper") + "}",
    "$" + cased(name, "upper"),
    "{{ " + cased(name, "snake") + " }}",
    "%" + cased(name, "upper") + "%",
    "process.env." + cased(name, "upper"),
    "os.environ['" + cased(name, "upper") + "']",
    "<%= secret %>",
    "vault:secret/data/app#password",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:app/db-AbCdEf",
    "op://vault/item/password",
    "!Ref DbPassword",
    "ENC[AES256_GCM,data:9Zk3,iv:a1b2]",
    "null",
    "undefined",
    "string",
    "password123",
    "secret",
    "test",
    "dummy-secret-value",
    "my-secret-token",
    "not-a-real-secret",
    "placeholder",
    "redacted",
    "REDACTED",
    "hunter2",
    "fake_token_for_tests",
    "secretref:db-password",
    "getSecret('db')",
    "config.get('db.password')",
    "await readSecret()",
    "this.options.password",
    "(string) input",
    "[filtered]",
    "$(cat /run/secrets/db)",
  ]);
  return dice.one([
    { path: ".env.example", text: `${cased(name, "upper")}=${value}\n` },
    { path: "config/default.yaml", text: `auth:\n  ${cased(name, "snake")}: ${value}\n` },
    { path: "config.json", text: `{"${cased(name, "camel")}": ${JSON.stringify(value)}}\n` },
    { path: "README.md", text: `Set \`${cased(name, "upper")}=${value}\`.\n` },
    { path: "src/auth.ts", text: `const ${cased(name, "camel")} = "${value}";\n` },
  ]);
};

const prefixed: Maker = (dice) => {
  const token = dice.one([
    `ghp_${blank(dice, 36)}`,
    `sk-${blank(dice, 48)}`,
    `AKIA${blank(dice, 16)}`,
    `xoxb-${blank(dice, 50)}`,
    `glpat-${blank(dice, 20)}`,
    `sk_live_${blank(dice, 24)}`,
    `npm_${blank(dice, 36)}`,
    `SG.${blank(dice, 22)}.${blank(dice, 43)}`,
    `AIza${blank(dice, 35)}`,
    `hf_${blank(dice, 34)}`,
    `sk-ant-api03-${blank(dice, 93)}`,
    `pypi-AgEIcHlwaS5vcmc${blank(dice, 60)}`,
    `dop_v1_${blank(dice, 64)}`,
    `https://hooks.slack.com/services/T00000000/B00000000/${"X".repeat(24)}`,
    `ghp_${dice.chars("b62", 12)}`,
    `AKIA${dice.chars("b32", 7)}`,
    `sk_test_${dice.chars("b62", 6)}`,
    `glpat-${dice.chars("b62", 8)}`,
    `pk_live_${dice.chars("b62", 24)}`,
    `pk_test_${dice.chars("b62", 24)}`,
    "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    `ghp_${"1234567890abcdefghijklmnopqrstuvwxyz"}`,
    "sk-1234567890abcdef1234567890abcdef",
  ]);
  return { path: "docs/guide.md", text: `Tokens look like \`${token}\`.\n\n    TOKEN=${token}\n` };
};

const ids: Maker = (dice) =>
  dice.one([
    {
      path: "data.json",
      text: `{"id": "${dice.uuid()}", "key": "${dice.uuid()}", "tokenId": "${dice.uuid()}"}\n`,
    },
    {
      path: "log.txt",
      text: `commit ${dice.chars("hex", 40)}\nMerge: ${dice.chars("hex", 7)} ${
        dice.chars("hex", 7)
      }\n`,
    },
    {
      path: "versions.tf",
      text: `ref = "${dice.chars("hex", 40)}"\nsource = "git::https://git.acme.test/m.git?ref=${
        dice.chars("hex", 40)
      }"\n`,
    },
    { path: "Dockerfile", text: `FROM alpine@sha256:${dice.chars("hex", 64)}\n` },
    {
      path: "SHA256SUMS",
      text: `${dice.chars("hex", 64)}  app-${dice.int(9)}.tar.gz\n${
        dice.chars("hex", 32)
      }  a.zip\n`,
    },
    {
      path: "ci.yml",
      text: `- uses: actions/checkout@${
        dice.chars("hex", 40)
      }\n  with:\n    token: \${{ secrets.GITHUB_TOKEN }}\n`,
    },
    {
      path: "app.ts",
      text: `const etag = "${dice.chars("hex", 32)}";\nconst cacheKey = "${dice.word()}:${
        dice.chars("hex", 16)
      }";\n`,
    },
    {
      path: "state.json",
      text: `{"etag": "\\"${dice.chars("hex", 32)}\\"", "checksum": "${
        dice.chars("hex", 64)
      }", "revision": "${dice.chars("b62", 22)}"}\n`,
    },
    {
      path: "trace.json",
      text: `{"traceId":"${dice.chars("hex", 32)}","spanId":"${
        dice.chars("hex", 16)
      }","request_id":"${dice.chars("b62", 20)}"}\n`,
    },
  ]);

const lockfile: Maker = (dice) => {
  const sri = `sha512-${dice.chars("b64", 86)}==`;
  const name = dice.word();
  return dice.one([
    {
      path: "package-lock.json",
      text: `"node_modules/${name}": {\n  "version": "1.2.3",\n  "integrity": "${sri}"\n}\n`,
    },
    {
      path: "yarn.lock",
      text:
        `${name}@^1.0.0:\n  version "1.0.1"\n  resolved "https://registry.yarnpkg.com/${name}/-/${name}-1.0.1.tgz#${
          dice.chars("hex", 40)
        }"\n  integrity ${sri}\n`,
    },
    { path: "pnpm-lock.yaml", text: `  /${name}@1.0.0:\n    resolution: {integrity: ${sri}}\n` },
    { path: "go.sum", text: `github.com/acme/${name} v1.2.3 h1:${dice.chars("b64", 43)}=\n` },
    {
      path: "Cargo.lock",
      text: `[[package]]\nname = "${name}"\nchecksum = "${dice.chars("hex", 64)}"\n`,
    },
    {
      path: "poetry.lock",
      text: `    {file = "${name}-1.0.whl", hash = "sha256:${dice.chars("hex", 64)}"},\n`,
    },
    {
      path: "index.html",
      text: `<script src="/${name}.js" integrity="sha384-${
        dice.chars("b64", 64)
      }" crossorigin="anonymous"></script>\n`,
    },
    {
      path: "composer.lock",
      text: `"reference": "${dice.chars("hex", 40)}", "shasum": "${dice.chars("hex", 40)}"\n`,
    },
  ]);
};

const binaryText: Maker = (dice) =>
  dice.one([
    {
      path: "page.html",
      text: `<img src="data:image/png;base64,iVBORw0KGgo${dice.chars("b64", 600)}=="/>\n`,
    },
    {
      path: "font.css",
      text: `@font-face{src:url(data:font/woff2;base64,d09GMgAB${
        dice.chars("b64", 400)
      }) format("woff2")}\n`,
    },
    {
      path: "app.js.map",
      text: `{"version":3,"mappings":"${"AAAA,SAASA,EAAE".repeat(20)};${
        dice.chars("b64", 200)
      }"}\n`,
    },
    { path: "wasm.ts", text: `export const wasm = "AGFzbQEAAAA${dice.chars("b64", 800)}";\n` },
  ]);

const minified: Maker = (dice) => {
  const v = () => dice.chars("az", 1) + dice.one(["", dice.chars("az", 1)]);
  const parts = Array.from({ length: 12 }, () =>
    dice.one([
      `function ${v()}(${v()},${v()}){return ${v()}.key===${v()}?${v()}.token:${v()}}`,
      `var ${v()}={key:"${dice.word()}",type:${v()},token:${v()}.${v()}()},${v()}=null`,
      `${v()}.password=${v()}.value,${v()}.secret||(${v()}=${v()}(${dice.int(9999)}))`,
      `"token"===${v()}.type&&${v()}.push({key:${v()}.id,auth:!0})`,
      `e.exports={password:"Password",apiKey:"API key",token:${v()}}`,
    ]));
  return { path: "dist/app.min.js", text: `!function(){${parts.join(";")}}();\n` };
};

const code: Maker = (dice) => {
  const name = cased(dice.one(NAMES), "camel");
  const a = dice.word();
  return dice.one([
    {
      path: "src/a.ts",
      text:
        `export interface Options { ${name}: string; ${a}Token?: string }\nconst ${name} = options.${name} ?? defaults.${name};\n`,
    },
    {
      path: "src/b.ts",
      text:
        `if (${name} !== undefined && tokens.length > 0) throw new Error("Invalid ${name}: expected a string of 32 characters");\n`,
    },
    {
      path: "src/c.py",
      text:
        `def login(user: str, password: str) -> Token:\n    token = self.session.create_token(user, password)\n    return token\n`,
    },
    {
      path: "src/d.go",
      text:
        `token, err := auth.ParseToken(ctx, req.Header.Get("Authorization"))\nsecretName := "projects/${a}/secrets/${a}-credentials"\n`,
    },
    {
      path: "src/E.java",
      text:
        `@Value("\${app.${a}.password}")\nprivate String password;\nString apiKey = System.getenv("API_KEY");\n`,
    },
    {
      path: "src/f.ts",
      text:
        `const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";\nconst KEY = "settings.${a}.password.label";\nconst SECRET_KEY_NAME = "${a}-${dice.word()}-secret";\n`,
    },
    {
      path: "src/g.ts",
      text:
        `<Input name="password" type="password" placeholder="Enter your password" autoComplete="current-password" />\nlocalStorage.setItem("access_token", token);\n`,
    },
    {
      path: "src/h.rb",
      text:
        `password: Rails.application.credentials.dig(:${a}, :password)\nsecret_key_base: ENV.fetch("SECRET_KEY_BASE")\n`,
    },
    {
      path: "main.tf",
      text:
        `variable "${a}_password" {\n  type      = string\n  sensitive = true\n}\npassword = var.${a}_password\nsecret_id = aws_secretsmanager_secret.${a}.id\n`,
    },
    {
      path: "deploy.yaml",
      text:
        `env:\n  - name: DB_PASSWORD\n    valueFrom:\n      secretKeyRef:\n        name: ${a}-credentials\n        key: password\n`,
    },
    { path: "ci.yml", text: `env:\n  NPM_TOKEN: \${{ secrets.NPM_TOKEN }}\n  API_KEY: $API_KEY\n` },
    {
      path: "proto.ts",
      text:
        `tokenEndpoint: "https://${a}.acme.test/oauth2/v1/token",\npasswordResetUrl: "/account/password/reset",\nkeyFile: "/etc/ssl/private/${a}.key",\n`,
    },
  ]);
};

export const NEGATIVES: Readonly<Record<string, Maker>> = {
  placeholders,
  prefixed,
  ids,
  lockfile,
  binaryText,
  minified,
  code,
  words,
  publicKeys,
  vectors,
};

/** `count` innocent texts, spread evenly over the kinds. */
export function innocents(dice: Dice, count: number): Innocent[] {
  const kinds = Object.entries(NEGATIVES);
  return Array.from({ length: count }, (_, i) => {
    const [kind, make] = kinds[i % kinds.length]!;
    return { kind, ...make(dice) };
  });
}
