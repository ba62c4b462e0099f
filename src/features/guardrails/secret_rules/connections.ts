/** Secret rules for logins inside URLs, connection strings, headers and client files. */
import { isPlaceholder, isReference } from "svc/features/guardrails/placeholder.ts";
import { classesOf, entropy, wordShare } from "svc/features/guardrails/randomness.ts";
import { looksSecret } from "svc/features/guardrails/secret_value.ts";
import { decodesToLogin } from "./packages.ts";
import type { Draw } from "./draw.ts";
import type { SecretRule } from "./rule.ts";

const password = (draw: Draw) => `${draw.letters(5)}${draw.digits(3)}${draw.base62(8)}`;

const SAMPLE_PASSWORD =
  /^(?:p(?:a|@|4)?(?:ss|\$\$)?(?:w(?:o|0)?r?d|wd|phrase)?\d{0,4}!?|pass(?:word)?|secrets?|token|user(?:name)?|admin|root|test(?:ing)?|guest|demo|changeme|example|postgres|mysql|mongo|redis|guest|minio(?:admin)?|rabbit(?:mq)?|(?:my|db)[_-]?pass(?:w(?:or)?d)?|hidden|redacted|string|foo|bar|baz|auth|key|api[_-]?key|value|abc|xyz|(?:key|token|pass|secret|user)[_-]?\d{1,6}|x-oauth-basic|x-access-token|oauth2?|[\d.*x_\-]+)$/i;

/** Also of a URL within two others. A value with a stray percent sign is used as it is. */
function decoded(value: string): string {
  let plain = value;
  try {
    for (let level = 0; level < 3 && plain.includes("%"); level++) {
      plain = decodeURIComponent(plain);
    }
  } catch {
    // This is how it is written.
  }
  return plain;
}

function isRealPassword(value: string, user = ""): boolean {
  const plain = decoded(value);
  if (plain.length < 6 || plain === user || SAMPLE_PASSWORD.test(plain)) return false;
  if (
    isReference(plain) || isPlaceholder(plain) || /[<>{}]|\w\(|^\[|^\$[A-Z_]+$|^%s$|^:/.test(plain)
  ) {
    return false;
  }
  if (/pass|secret|user|token|your/i.test(plain) && wordShare(plain) > 0.5) return false;
  return (/\d/.test(plain) && classesOf(plain) >= 2 && wordShare(plain) < 0.8) ||
    classesOf(plain) >= 3 || (plain.length >= 8 && wordShare(plain) < 0.35) ||
    (plain.length >= 10 && wordShare(plain) < 0.6 &&
      (plain.match(/[a-z][A-Z]/g)?.length ?? 0) >= 2);
}

const PLAIN_LOGIN =
  /:\\?\/\\?\/(?<head_user>[^\s/?#"'`<>@:\\{}()]{0,80}):(?<secret>[^\s/?#"'`<>\\]{3,200})@(?=[\w.[$*-])/;

/** What stands percent-encoded in another URL; the level is "25" in a third one. */
const ENCODED_LOGIN =
  /%(?<head_level>(?:25)?)3A(?:%\k<head_level>2F){2}(?<head_name>(?:(?!%\k<head_level>(?:3A|2F|40))[^\s/?#&"'`<>@:\\{}()]){0,80})%\k<head_level>3A(?<encoded>(?:(?!%\k<head_level>(?:2F|40))[^\s/?#&"'`<>@\\]){3,200})%\k<head_level>40(?=[\w.[$*%-])/;

export const connectionRules = (): readonly SecretRule[] => [
  {
    id: "url-credentials",
    about: "Password in a URL",
    kind: "structured",
    keywords: ["://", ":\\/\\/", "%3a%2f%2f", "%253a%252f%252f"],
    get pattern() {
      return new RegExp(`${PLAIN_LOGIN.source}|${ENCODED_LOGIN.source}`, "i");
    },
    openLeft: true,
    check: (secret, { match }) => {
      const user = match.startsWith("%")
        ? match.split(/%(?:25)?(?:2F|3A)/i)[3]
        : match.slice(match.lastIndexOf("/") + 1).split(":")[0];
      return isRealPassword(secret, user);
    },
    examples: (draw) => [
      `postgres://app:${password(draw)}@db.internal:5432/app`,
      `mongodb+srv://app:${password(draw)}@cluster0.abcde.mongodb.net/app`,
      `mysql://root:${password(draw)}@10.0.0.5/shop`,
      `redis://:${password(draw)}@cache:6379/0`,
      `amqps://svc:${password(draw)}@mq.internal/vhost`,
      `https://deploy:${password(draw)}@git.internal/repo.git`,
      `from=${encodeURIComponent(`https://deploy:${password(draw)}@git.internal/repo.git`)}`,
    ],
    lookalikes: () => [
      "from=postgres%3A%2F%2Fuser%3Apassword%40localhost%3A5432%2Fdb",
      "from=https%3A%2F%2Fexample.com%3A8080%2Fpath%3Femail%3Dme%40example.com",
      "postgres://user:password@localhost:5432/db",
      "postgres://${DB_USER}:${DB_PASSWORD}@db:5432/app",
      "http://username:password@proxy.example.com",
      "redis://localhost:6379",
      "https://example.com:8080/path?email=me@example.com",
      "mongodb://<user>:<password>@cluster0.mongodb.net",
      "postgres://postgres:postgres@localhost/test",
    ],
  },
  {
    id: "connection-string-password",
    about: "Password in an ADO, ODBC or JDBC connection string",
    kind: "structured",
    keywords: ["password=", "pwd=", "password =", "pwd ="],
    pattern:
      /(?:password|pwd) ?= ?(?:'(?<quoted>[^';"\n]{4,128})'|(?<secret>[^;"'\s<>&,]{4,128}))/i,
    openLeft: true,
    check: (secret, { text, index, match }) => {
      const near = text.slice(Math.max(0, index - 300), index + match.length + 200);
      return /(?:server|data source|host|initial catalog|database|driver|dsn|provider) ?=[^;\n]{1,120}[;&]|\bhost=\S{1,100} |jdbc:\w/i
        .test(near) &&
        isRealPassword(secret);
    },
    examples: (draw) => [
      `Server=tcp:db.internal,1433;Initial Catalog=app;User ID=sa;Password=${
        password(draw)
      };Encrypt=True;`,
      `jdbc:mysql://db.internal:3306/app?user=app&password=${password(draw)}`,
    ],
    lookalikes: () => [
      "Server=db;Database=app;User Id=sa;Password=<password>;",
      "Server=db;Database=app;User Id=sa;Password=${DB_PASSWORD};",
      "Server=myServerAddress;Database=myDataBase;User Id=myUsername;Password=myPassword;",
    ],
  },
  {
    id: "sql-login-password",
    about: "Password of a user or role in an SQL statement",
    kind: "context",
    keywords: ["identified by", "password '"],
    pattern: /(?:identified by|password) {1,4}'(?<secret>[^'"\n\\]{6,128})'/i,
    // What a server keeps of a password is no password: md5, SCRAM and MySQL's own hash.
    check: (secret, { text, index }) =>
      /\b(?:create|alter|grant|set)\s[^;]{0,300}$/i.test(
        text.slice(Math.max(0, index - 320), index),
      ) &&
      !/^(?:md5[0-9a-f]{32}|SCRAM-SHA-256\$.*|\*[0-9A-F]{40})$/i.test(secret) &&
      isRealPassword(secret),
    examples: (draw) => [
      `CREATE USER app WITH ENCRYPTED PASSWORD '${password(draw)}';`,
      `alter role app password '${password(draw)}';`,
      `CREATE USER 'app'@'%' IDENTIFIED BY '${password(draw)}';`,
      `db.execute("GRANT ALL ON *.* TO 'app'@'%' IDENTIFIED BY '${password(draw)}'")`,
    ],
    lookalikes: (draw) => [
      "CREATE USER app WITH PASSWORD 'password';",
      "CREATE USER app PASSWORD 'my_passwd';",
      "CREATE USER app IDENTIFIED BY '${DB_PASSWORD}';",
      "ALTER ROLE app PASSWORD '%s';",
      `ALTER ROLE app PASSWORD 'md5${draw.hex(32)}';`,
      `The login takes the password '${password(draw)}' of its first day.`,
    ],
  },
  {
    id: "oracle-jdbc-login",
    about: "Login in an Oracle JDBC URL",
    kind: "structured",
    keywords: ["jdbc:oracle:"],
    pattern: /jdbc:oracle:\w{1,8}:(?<head_user>[\w$#]{1,30})\/(?<secret>[^\s"'@/]{4,64})@/,
    check: (secret) => isRealPassword(secret),
    examples: (draw) => [`jdbc:oracle:thin:app/${password(draw)}@db.internal:1521:orcl`],
    lookalikes: () => [
      "jdbc:oracle:thin:scott/password@localhost:1521:orcl",
      "jdbc:oracle:thin:@//db:1521/x",
    ],
  },
  {
    id: "wordpress-salt",
    about: "Key or salt in a wp-config.php",
    kind: "structured",
    keywords: ["auth_key", "auth_salt", "logged_in_", "nonce_key", "nonce_salt"],
    pattern:
      /(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)['"]\s{0,4},\s{0,8}['"](?<secret>[^'"\n]{40,100})['"]/i,
    openLeft: true,
    verbatim: true,
    check: (secret) => entropy(secret) >= 4.4 && wordShare(secret) < 0.4,
    examples: (draw) => [
      `define('SECURE_AUTH_KEY', '${draw.from("abcXYZ019 !@#$%^&*()-_[]{}<>~+=,.;:/?|qrs", 60)}${
        draw.digits(4)
      }');`,
    ],
    lookalikes:
      () => ["define('AUTH_KEY', 'put your unique phrase here put your unique phrase here');"],
  },
  {
    id: "basic-auth-header",
    about: "Login in a Basic authorization header",
    kind: "structured",
    keywords: ["basic "],
    pattern: /basic\s{1,3}(?<secret>[A-Za-z0-9+/]{10,400}={0,2})(?![\w+/])/i,
    check: (secret) => decodesToLogin(secret),
    examples: (draw) => [`Authorization: Basic ${btoa(`api:${password(draw)}`)}`],
    lookalikes: () => ["Authorization: Basic dXNlcjpwYXNzd29yZA==", "basic configuration options"],
  },
  {
    id: "bearer-auth-header",
    about: "Token in a Bearer authorization header",
    kind: "context",
    keywords: ["bearer ", "token "],
    pattern:
      /(?:bearer|(?<=authorization["']?[:=,]\s{0,4}["']?(?:api-)?)token)\s{1,3}(?<secret>[A-Za-z0-9._~+/\-]{16,1000}={0,2})(?![\w+/])/i,
    check: (secret, { path }) =>
      looksSecret({ value: secret, as: "key", quoted: true, program: /\.[jt]sx?$/.test(path) }),
    examples: (draw) => [`curl -H "Authorization: Bearer ${draw.base62(40)}" https://api.internal`],
    lookalikes: () => [
      "Authorization: Bearer <token>",
      "Authorization: Bearer ${TOKEN}",
      "the bearer authentication-scheme-description follows",
    ],
  },
  {
    id: "curl-login",
    about: "Login given to curl, wget or another client on its command line",
    kind: "context",
    keywords: [" -u", "--user", "--proxy-user"],
    pattern:
      /(?: -u|--user|--proxy-user)[ =\t]{0,5}\\?["']?(?:(?<lone>(?<=["'])[^\s"'\\:;|&$]{10,128}):\\?["']|(?<head_user>[^\s"'\\:;|&]{0,80})\\?["']?:(?:\\?"(?<dq>[^"\\\n]{6,128})\\?"|\\?'(?<sq>[^'\\\n]{6,128})'|(?<secret>[^\s"'\\]{6,128})))/,
    check: (secret, { text, index }) =>
      /\b(?:curl|http|https|wget|lftp)\b/.test(text.slice(Math.max(0, index - 400), index + 300)) &&
      !secret.startsWith("/") && isRealPassword(secret),
    examples: (draw) => [
      `curl -u deploy:${password(draw)} https://repo.internal/upload`,
      `curl --user "deploy":"${password(draw)}" https://repo.internal/upload`,
      `curl --user=deploy:'${password(draw)}' https://repo.internal/upload`,
      `curl -u ":${password(draw)}" https://repo.internal/upload`,
      `curl -u "${password(draw)}:" https://repo.internal/upload`,
      `curl https://repo.internal/upload \\\n  --user 'deploy:${password(draw)}'`,
    ],
    lookalikes: () => [
      "curl -u user:password https://x",
      "curl -u $USER:$PASS https://x",
      "docker run -u 1000:1000 curl",
    ],
  },
  {
    id: "header-uuid-key",
    about: "UUID as the key in an authorization or API key header",
    kind: "context",
    keywords: ["authorization:", "apikey:", "api-key:", "api-token:", "auth-token:"],
    pattern:
      /(?:authorization|api-?key|(?:api|auth)-token):[ \t]{0,5}(?:(?:Bearer|Basic|(?:Api-)?Token|ApiKey|Key) )?(?<secret>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?=["'`\\])/i,
    check: (secret, { text, index }) =>
      entropy(secret) >= 3 && /["'`][\w-]{0,40}$/.test(text.slice(Math.max(0, index - 41), index)),
    examples: (draw) => [
      `curl --header 'Authorization: ${draw.uuid()}' https://api.internal`,
      `curl -H "X-Octopus-ApiKey: ${draw.uuid()}" https://api.internal`,
    ],
    lookalikes: (draw) => [`"request-id: ${draw.uuid()}"`, `apikey: {{ ${draw.uuid()} }}`],
  },
  {
    id: "htpasswd-bcrypt",
    about: "Login of a web server's password file, hashed by bcrypt",
    kind: "structured",
    keywords: [":$2y$", ":$2a$", ":$2b$"],
    pattern: /(?<=(?<head>[\w.@-]{1,60})):(?<secret>\$2[aby]\$\d\d\$[./A-Za-z0-9]{53})(?![./\w])/,
    openLeft: true,
    examples: (draw) => [`deploy:$2y$10$${draw.base62(53)}`],
    lookalikes: (draw) => [`password: $2y$10$${draw.base62(53)}`, `x:$2y$10$${draw.base62(20)}`],
  },
  {
    id: "netrc-password",
    about: "Password in a .netrc",
    kind: "structured",
    keywords: ["machine ", "default login"],
    pattern:
      /(?:machine\s{1,4}\S{1,100}|default)\s{1,8}login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}(?<secret>\S{4,200})/,
    check: (secret) => isRealPassword(secret),
    examples: (draw) => [`machine api.internal\n  login bot\n  password ${password(draw)}`],
    lookalikes: () => ["machine api.internal login bot password <password>"],
  },
  {
    id: "pgpass-password",
    about: "Password in a .pgpass",
    kind: "structured",
    keywords: [":5432:", ":5433:", ":6432:", ":*:*:"],
    pattern:
      /:(?:\d{4}|\*):[\w*-]{1,64}:[\w.*-]{1,64}:(?<secret>[^\s:"'`,;]{6,100})(?=[\s"'`\\]|$)/,
    openLeft: true,
    check: (secret) => isRealPassword(secret),
    examples: (draw) => [`db.internal:5432:app:app:${password(draw)}`],
    lookalikes: () => ["localhost:5432:app:app:password"],
  },
  {
    id: "command-line-password",
    about: "Password given to a program on its command line",
    kind: "context",
    keywords: [
      "sshpass",
      "mysql",
      "mysqldump",
      "docker login",
      "redis-cli",
      "mongosh",
      "pgpassword",
    ],
    pattern:
      /(?:sshpass\s{1,3}-p\s{0,2}|(?:mysql|mysqldump|mysqladmin|mariadb)\s(?:[^\n|;"']{0,80}\s)?-p|(?:docker|podman|helm registry) login\s(?:[^\n|;]{0,80}\s)?(?:-p|--password)[ =]|redis-cli\s(?:[^\n|;]{0,60}\s)?-a\s{1,2}|mongosh?\s(?:[^\n|;]{0,80}\s)?-p\s{0,2})["']?(?<secret>[^\s"'`$\\]{6,128})/i,
    check: (secret) => isRealPassword(secret),
    examples: (
      draw,
    ) => [
      `sshpass -p '${password(draw)}' ssh root@10.0.0.2`,
      `mysql -u root -p${password(draw)} app`,
    ],
    lookalikes:
      () => ['sshpass -p "$PASS" ssh host', "mysql -u root -p app", "docker login -p $TOKEN"],
  },
];
