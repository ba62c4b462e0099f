/** Texts without a secret: other languages, styles, public keys, test vectors. */
import type { Maker } from "./secret_negatives.ts";

export const words: Maker = (dice) =>
  dice.one([
    {
      path: "de.json",
      text:
        `{"login.password": "Passwort", "token.expired": "Das Token ist abgelaufen", "apiKey": "API-Schlüssel", "secret": "Geheimnis eingeben"}\n`,
    },
    {
      path: "ja.json",
      text:
        `{"password": "パスワードを入力してください", "secret": "シークレットキー", "token": "アクセストークン"}\n`,
    },
    {
      path: "fr.yml",
      text:
        `password: "Mot de passe oublié ?"\napi_key: Clé API\nconfirm_password: Confirmez le mot de passe\n`,
    },
    {
      path: "README.md",
      text:
        `The ${dice.word()} token is sent with each ${dice.word()}. Keep your secret key safe: rotate passwords often.\n`,
    },
    {
      path: "style.css",
      text: `.password-input { color: #${dice.chars("hex", 6)}; }\n--token-color-primary: #${
        dice.chars("hex", 8)
      };\n#${dice.word()}-secret-${dice.int(9)} { margin: 0 }\n`,
    },
    {
      path: "schema.graphql",
      text:
        `type Session { accessToken: String! refreshToken: String expiresAt: DateTime }\ninput Login { password: String! }\n`,
    },
    {
      path: "api.yaml",
      text:
        `securitySchemes:\n  bearerAuth:\n    type: http\n    scheme: bearer\n    bearerFormat: JWT\n  apiKey:\n    type: apiKey\n    name: X-API-Key\n    in: header\n`,
    },
    {
      path: "model.json",
      text:
        `{"tokenizer": "bert-base-uncased", "max_tokens": 4096, "pad_token": "<|endoftext|>", "eos_token_id": 50256}\n`,
    },
  ]);

export const publicKeys: Maker = (dice) =>
  dice.one([
    {
      path: "id_ed25519.pub",
      text: `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${
        dice.chars("b64", 43)
      } ${dice.word()}@${dice.word()}\n`,
    },
    {
      path: "authorized_keys",
      text: `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ${dice.chars("b64", 330)} ${dice.word()}\n`,
    },
    {
      path: "pub.pem",
      text: `-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${
        dice.chars("b64", 28)
      }\n${dice.chars("b64", 58)}==\n-----END PUBLIC KEY-----\n`,
    },
    {
      path: "ca.crt",
      text: `-----BEGIN CERTIFICATE-----\n${
        Array.from({ length: 12 }, () => dice.chars("b64", 64)).join("\n")
      }\n-----END CERTIFICATE-----\n`,
    },
    { path: "age.txt", text: `# public key: age1${dice.chars("lower", 58)}\n` },
    {
      path: "jwks.json",
      text: `{"keys":[{"kty":"RSA","kid":"${dice.chars("hex", 8)}","use":"sig","n":"${
        dice.chars("url", 342)
      }","e":"AQAB"}]}\n`,
    },
    {
      path: "key.asc",
      text: `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${dice.chars("b64", 64)}\n${
        dice.chars("b64", 64)
      }\n=${dice.chars("b64", 4)}\n-----END PGP PUBLIC KEY BLOCK-----\n`,
    },
    {
      path: "app.ts",
      text: `const publicKey = "${
        dice.chars("b64", 43)
      }=";\nexport const publishableKey = "pk_live_${dice.chars("b62", 24)}";\n`,
    },
    {
      path: "known_hosts",
      text: `git.acme.test ssh-rsa AAAAB3NzaC1yc2E${dice.chars("b64", 200)}\n`,
    },
  ]);

export const vectors: Maker = (dice) =>
  dice.one([
    {
      path: "sha_test.ts",
      text: `assertEquals(hex(sha256("abc")), "${dice.chars("hex", 64)}");\n`,
    },
    {
      path: "vectors.json",
      text: `{"input": "${dice.chars("hex", 32)}", "expected": "${
        dice.chars("hex", 64)
      }", "nonce": "${dice.chars("hex", 24)}"}\n`,
    },
    {
      path: "hash.txt",
      text: `md5: ${dice.chars("hex", 32)}\nsha1: ${dice.chars("hex", 40)}\ncrc32: ${
        dice.chars("hex", 8)
      }\n`,
    },
    {
      path: "users.sql",
      text: `INSERT INTO users (password_hash) VALUES ('$2b$12$${dice.chars("b62", 53)}');\n`,
    },
    {
      path: "snap.ts",
      text: `expect(id).toBe("${dice.chars("lower", 24)}");\nconst url = "https://cdn.acme.test/${
        dice.chars("hex", 32)
      }/${dice.word()}.js";\n`,
    },
    {
      path: "urls.md",
      text:
        `https://user:password@host/path http://localhost:8080/a@b postgres://localhost:5432/app redis://cache:6379\n[a](https://x.test/${
          dice.chars("hex", 40)
        })\n`,
    },
  ]);
