/** Vendors' token formats as generators: written from the vendors' pages, apart from the scanner's rules. */
import type { Dice } from "./secret_dice.ts";

export interface Format {
  readonly id: string;
  readonly kind: "structured" | "generic";
  /** Names such a value has in configuration; a context format is known by them alone. */
  readonly names: readonly string[];
  /** The name is needed to know the value, so a neutral name is never used. */
  readonly needsName?: true;
  readonly make: (dice: Dice) => string;
}

const hex = (n: number) => (dice: Dice) => dice.chars("hex", n);
const b62 = (n: number) => (dice: Dice) => dice.chars("b62", n);
const after = (prefix: string, make: (dice: Dice) => string) => (dice: Dice) => prefix + make(dice);

/** A format whose value shows its kind. */
function shown(id: string, names: string, make: (dice: Dice) => string): Format {
  return { id, kind: "structured", names: names.split(" "), make };
}

/** A format that only its name tells. */
function told(id: string, names: string, make: (dice: Dice) => string): Format {
  return { id, kind: "structured", names: names.split(" "), make, needsName: true };
}

function generic(id: string, names: string, make: (dice: Dice) => string): Format {
  return { id, kind: "generic", names: names.split(" "), make, needsName: true };
}

/** A password as a person or a manager makes it: at least one of each class. */
function password(dice: Dice, length: number): string {
  const marks = "!@%^*-_=+?.";
  const out = [...dice.chars("b62", length - 3), dice.chars("num", 1), dice.chars("az", 1)];
  out.splice(dice.int(out.length), 0, marks[dice.int(marks.length)] ?? "!");
  return dice.chars("alpha", 1) + out.slice(1).join("");
}

function jwt(dice: Dice): string {
  const part = (of: unknown) =>
    btoa(JSON.stringify(of)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
  const header = dice.one([{ alg: "HS256", typ: "JWT" }, {
    typ: "JWT",
    alg: "RS256",
    kid: dice.chars("hex", 8),
  }, { alg: "ES256" }]);
  return `${part(header)}.${
    part({ sub: dice.uuid(), iat: 1700000000 + dice.int(1e7), scope: dice.words(2) })
  }.${dice.chars("url", 43)}`;
}

/** A PEM block with a body as long as such keys have. */
export function pem(dice: Dice, kind: string, bytes: number): string {
  const head = kind === "OPENSSH" ? "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB" : "MII";
  const body = head + dice.chars("b64", Math.ceil(bytes * 4 / 3) - head.length);
  const name = kind === "" ? "" : `${kind} `;
  const lines = body.match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${name}PRIVATE KEY-----`, ...lines, `-----END ${name}PRIVATE KEY-----`].join(
    "\n",
  );
}

const host = (dice: Dice) => `${dice.word()}-${dice.word()}.${dice.word()}.internal`;
const login = (dice: Dice) => `${dice.word()}:${dice.chars("b62", 10 + dice.int(14))}`;

export const FORMATS: readonly Format[] = [
  shown(
    "aws-access-key-id",
    "AWS_ACCESS_KEY_ID accessKeyId",
    (d) => d.one(["AKIA", "ASIA"]) + d.chars("b32", 16),
  ),
  told(
    "aws-secret-access-key",
    "AWS_SECRET_ACCESS_KEY aws_secret_access_key secretAccessKey",
    (d) => d.chars("b62", 12) + d.chars("b64", 28),
  ),
  shown("github-classic", "GITHUB_TOKEN GH_TOKEN", after("ghp_", b62(36))),
  shown("github-oauth", "GITHUB_OAUTH", after("gho_", b62(36))),
  shown(
    "github-server",
    "GH_APP_TOKEN",
    (d) => d.one(["ghs_", "ghu_", "ghr_"]) + d.chars("b62", 36),
  ),
  shown(
    "github-fine-grained",
    "GITHUB_PAT",
    (d) => `github_pat_11${d.chars("upper", 20)}_${d.chars("b62", 59)}`,
  ),
  shown("gitlab-pat", "GITLAB_TOKEN CI_PUSH_TOKEN", (d) => `glpat-${d.chars("url", 20)}`),
  shown(
    "gitlab-routable",
    "GITLAB_TOKEN",
    (d) => `glpat-${d.chars("url", 27)}.01.${d.chars("lower", 9)}`,
  ),
  shown(
    "gitlab-other",
    "RUNNER_TOKEN",
    (d) => `${d.one(["glrt-", "gldt-", "glft-", "glsoat-"])}${d.chars("url", 20)}`,
  ),
  shown("gitlab-trigger", "TRIGGER_TOKEN", after("glptt-", hex(40))),
  shown(
    "slack-bot",
    "SLACK_BOT_TOKEN",
    (d) => `xoxb-${d.chars("num", 12)}-${d.chars("num", 13)}-${d.chars("b62", 24)}`,
  ),
  shown(
    "slack-user",
    "SLACK_TOKEN",
    (d) =>
      `xoxp-${d.chars("num", 12)}-${d.chars("num", 12)}-${d.chars("num", 12)}-${
        d.chars("hex", 32)
      }`,
  ),
  shown(
    "slack-app",
    "SLACK_APP_TOKEN",
    (d) => `xapp-1-A${d.chars("upper", 10)}-${d.chars("num", 13)}-${d.chars("hex", 64)}`,
  ),
  shown(
    "slack-webhook",
    "SLACK_WEBHOOK_URL",
    (d) =>
      `https://hooks.slack.com/services/T${d.chars("upper", 10)}/B${d.chars("upper", 10)}/${
        d.chars("b62", 24)
      }`,
  ),
  shown(
    "openai-legacy",
    "OPENAI_API_KEY",
    (d) => `sk-${d.chars("b62", 20)}T3BlbkFJ${d.chars("b62", 20)}`,
  ),
  shown(
    "openai-project",
    "OPENAI_API_KEY",
    (d) => `sk-proj-${d.chars("url", 74)}T3BlbkFJ${d.chars("url", 73)}A`,
  ),
  shown(
    "openai-service",
    "OPENAI_KEY",
    (d) => `sk-svcacct-${d.chars("url", 58)}T3BlbkFJ${d.chars("url", 57)}A`,
  ),
  shown(
    "anthropic",
    "ANTHROPIC_API_KEY",
    (d) => `sk-ant-${d.one(["api03", "admin01"])}-${d.chars("url", 93)}AA`,
  ),
  shown(
    "google-api",
    "GOOGLE_API_KEY MAPS_KEY",
    (d) => `AIza${d.chars("url", 34)}${d.chars("b62", 1)}`,
  ),
  shown("google-client-secret", "GOOGLE_CLIENT_SECRET", (d) => `GOCSPX-${d.chars("url", 27)}x`),
  told(
    "azure-storage",
    "AZURE_STORAGE_KEY AccountKey storage_account_key",
    (d) => `${d.chars("b64", 86)}==`,
  ),
  shown(
    "azure-connection",
    "AZURE_STORAGE_CONNECTION_STRING",
    (d) =>
      `DefaultEndpointsProtocol=https;AccountName=${d.word()}${d.int(99)};AccountKey=${
        d.chars("b64", 86)
      }==;EndpointSuffix=core.windows.net`,
  ),
  shown(
    "azure-client-secret",
    "AZURE_CLIENT_SECRET",
    (d) => `${d.chars("b62", 3)}8Q~${d.chars("b62", 34)}`,
  ),
  shown(
    "azure-sas",
    "BLOB_URL",
    (d) =>
      `https://${d.word()}.blob.core.windows.net/c?sv=2023-01-03&ss=b&srt=co&sp=rl&se=2030-01-01T00:00:00Z&sig=${
        encodeURIComponent(d.chars("b64", 43) + "=")
      }`,
  ),
  shown(
    "stripe-secret",
    "STRIPE_SECRET_KEY",
    (d) => `${d.one(["sk_live_", "rk_live_", "sk_test_"])}${d.chars("b62", d.one([24, 99]))}`,
  ),
  shown("stripe-webhook", "STRIPE_WEBHOOK_SECRET", after("whsec_", b62(32))),
  shown(
    "square",
    "SQUARE_ACCESS_TOKEN",
    (d) => d.one([`sq0atp-${d.chars("b62", 22)}`, `sq0csp-${d.chars("b62", 43)}`]),
  ),
  shown(
    "braintree",
    "BRAINTREE_TOKEN",
    (d) => `access_token$production$${d.chars("lower", 16)}$${d.chars("hex", 32)}`,
  ),
  shown(
    "shopify",
    "SHOPIFY_TOKEN",
    (d) => d.one(["shpat_", "shpca_", "shppa_", "shpss_"]) + d.chars("hex", 32),
  ),
  shown("npm", "NPM_TOKEN", after("npm_", b62(36))),
  shown("pypi", "TWINE_PASSWORD PYPI_TOKEN", (d) => `pypi-AgEIcHlwaS5vcmcC${d.chars("url", 150)}x`),
  shown("rubygems", "GEM_HOST_API_KEY", after("rubygems_", hex(48))),
  shown("nuget", "NUGET_API_KEY", (d) => `oy2${d.chars("lower", 43)}`),
  shown("crates-io", "CARGO_REGISTRY_TOKEN", (d) => `cio${d.chars("b62", 30)}7Q`),
  shown("docker-hub", "DOCKER_PAT", (d) => `dckr_pat_${d.chars("url", 26)}x`),
  shown("huggingface", "HF_TOKEN", (d) => `hf_${d.chars("alpha", 34)}`),
  shown("linear", "LINEAR_API_KEY", after("lin_api_", b62(40))),
  shown(
    "notion",
    "NOTION_TOKEN",
    (d) =>
      d.one([`secret_${d.chars("b62", 43)}`, `ntn_${d.chars("num", 11)}${d.chars("b62", 35)}`]),
  ),
  shown("figma", "FIGMA_TOKEN", (d) => `figd_${d.chars("url", 39)}x`),
  shown(
    "atlassian",
    "ATLASSIAN_TOKEN",
    (d) => `ATATT3xFfGF0${d.chars("url", 171)}=${d.chars("HEX", 8)}`,
  ),
  shown("bitbucket", "BB_PASSWORD", (d) => `ATBB${d.chars("b62", 24)}${d.chars("HEX", 8)}`),
  shown("asana", "ASANA_PAT", (d) => `1/${d.chars("num", 16)}:${d.chars("hex", 32)}`),
  shown("airtable", "AIRTABLE_PAT", (d) => `pat${d.chars("b62", 14)}.${d.chars("hex", 64)}`),
  shown("postman", "POSTMAN_KEY", (d) => `PMAK-${d.chars("hex", 24)}-${d.chars("hex", 34)}`),
  shown("sentry-user", "SENTRY_AUTH_TOKEN", after("sntryu_", hex(64))),
  told(
    "datadog",
    "DD_API_KEY DATADOG_API_KEY datadog_app_key",
    (d) => d.chars("hex", d.one([32, 40])),
  ),
  shown(
    "new-relic",
    "NEW_RELIC_API_KEY",
    (d) => d.one([`NRAK-${d.chars("upper", 27)}`, `NRJS-${d.chars("hex", 19)}`]),
  ),
  shown("grafana", "GRAFANA_TOKEN", (d) => `glsa_${d.chars("b62", 32)}_${d.chars("hex", 8)}`),
  shown("dynatrace", "DT_TOKEN", (d) => `dt0c01.${d.chars("b32", 24)}.${d.chars("b32", 64)}`),
  told(
    "pagerduty",
    "PAGERDUTY_API_KEY PAGERDUTY_TOKEN",
    (d) => `${d.chars("b62", 18)}7+`.replace("+", "x"),
  ),
  shown("twilio", "TWILIO_API_KEY", after("SK", hex(32))),
  told("twilio-auth", "TWILIO_AUTH_TOKEN twilio_auth_token", hex(32)),
  shown("sendgrid", "SENDGRID_API_KEY", (d) => `SG.${d.chars("b62", 22)}.${d.chars("url", 42)}x`),
  shown("mailgun", "MAILGUN_KEY", after("key-", hex(32))),
  shown("mailchimp", "MAILCHIMP_KEY", (d) => `${d.chars("hex", 32)}-us${1 + d.int(21)}`),
  shown(
    "discord-bot",
    "DISCORD_BOT_TOKEN",
    (d) => `${btoa(`1${d.chars("num", 17)}`)}.G${d.chars("b62", 5)}.${d.chars("url", 37)}x`,
  ),
  shown(
    "discord-webhook",
    "DISCORD_WEBHOOK",
    (d) => `https://discord.com/api/webhooks/1${d.chars("num", 17)}/${d.chars("url", 68)}`,
  ),
  shown(
    "telegram",
    "TELEGRAM_BOT_TOKEN",
    (d) => `${1 + d.int(9)}${d.chars("num", 9)}:AA${d.chars("url", 32)}x`,
  ),
  shown("facebook", "FB_TOKEN", (d) => `EAA${d.chars("b62", 170)}`),
  told("heroku", "HEROKU_API_KEY heroku_api_key", (d) => d.uuid()),
  shown(
    "digitalocean",
    "DIGITALOCEAN_TOKEN",
    (d) => d.one(["dop_v1_", "doo_v1_", "dor_v1_"]) + d.chars("hex", 64),
  ),
  told("cloudflare", "CLOUDFLARE_API_TOKEN cloudflare_api_token", (d) => d.chars("url", 39) + "7"),
  told("fastly", "FASTLY_API_TOKEN FASTLY_KEY", (d) => `${d.chars("b62", 30)}7x`),
  shown("netlify", "NETLIFY_TOKEN", after("nfp_", b62(36))),
  shown("fly", "FLY_API_TOKEN", (d) => `fo1_${d.chars("url", 42)}x`),
  shown("supabase", "SUPABASE_ACCESS_TOKEN", after("sbp_", hex(40))),
  shown(
    "planetscale",
    "PLANETSCALE_PASSWORD",
    (d) => `pscale_${d.one(["pw", "tkn"])}_${d.chars("b62", 43)}`,
  ),
  shown("databricks", "DATABRICKS_TOKEN", after("dapi", hex(32))),
  shown("pulumi", "PULUMI_ACCESS_TOKEN", after("pul-", hex(40))),
  shown(
    "terraform-cloud",
    "TFE_TOKEN",
    (d) => `${d.chars("b62", 14)}.atlasv1.${d.chars("b62", 67)}`,
  ),
  shown("vault", "VAULT_TOKEN", (d) => `hvs.${d.chars("url", 90)}x`),
  shown("doppler", "DOPPLER_TOKEN", after("dp.pt.", b62(43))),
  shown(
    "age",
    "AGE_KEY",
    (d) =>
      `AGE-SECRET-KEY-1${
        Array.from({ length: 58 }, () => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"[d.int(32)]).join("")
      }`,
  ),
  shown("artifactory", "ARTIFACTORY_KEY", after("AKCp", b62(69))),
  told("okta", "OKTA_API_TOKEN OKTA_TOKEN", (d) => `00${d.chars("url", 39)}Q`),
  told("auth0", "AUTH0_CLIENT_SECRET auth0_client_secret", (d) => `${d.chars("url", 62)}7Q`),
  shown("plaid", "PLAID_ACCESS_TOKEN", (d) => `access-production-${d.uuid()}`),
  told("algolia", "ALGOLIA_ADMIN_KEY ALGOLIA_API_KEY", hex(32)),
  shown(
    "mapbox",
    "MAPBOX_SECRET",
    (d) => `sk.eyJ1Ijoi${d.chars("b62", 70)}.${d.chars("url", 21)}x`,
  ),
  shown("contentful", "CONTENTFUL_PAT", (d) => `CFPAT-${d.chars("url", 42)}x`),
  shown("groq", "GROQ_API_KEY", after("gsk_", b62(52))),
  shown("replicate", "REPLICATE_API_TOKEN", after("r8_", b62(37))),
  shown("perplexity", "PPLX_API_KEY", after("pplx-", b62(48))),
  shown("openrouter", "OPENROUTER_KEY", after("sk-or-v1-", hex(64))),
  shown(
    "langsmith",
    "LANGCHAIN_API_KEY",
    (d) => `lsv2_pt_${d.chars("hex", 32)}_${d.chars("hex", 10)}`,
  ),
  shown("pinecone", "PINECONE_KEY", (d) => `pcsk_${d.chars("b62", 6)}_${d.chars("b62", 63)}`),
  shown("sonarqube", "SONAR_TOKEN", (d) => d.one(["squ_", "sqp_", "sqa_"]) + d.chars("hex", 40)),
  shown(
    "tailscale",
    "TS_AUTHKEY",
    (d) => `tskey-auth-k${d.chars("b62", 11)}CNTRL-${d.chars("b62", 32)}`,
  ),
  shown("circleci", "CIRCLE_TOKEN", (d) => `CCIPAT_${d.chars("b62", 22)}_${d.chars("hex", 40)}`),
  shown("jwt", "ID_TOKEN SESSION_JWT", jwt),
  shown(
    "url-postgres",
    "DATABASE_URL",
    (d) => `postgres://${login(d)}@${host(d)}:5432/${d.word()}`,
  ),
  shown("url-mysql", "DATABASE_URL", (d) => `mysql://${login(d)}@${host(d)}:3306/${d.word()}`),
  shown(
    "url-mongodb",
    "MONGO_URL",
    (d) => `mongodb+srv://${login(d)}@cluster0.${d.chars("lower", 5)}.mongodb.net/${d.word()}`,
  ),
  shown("url-redis", "REDIS_URL", (d) => `redis://:${d.chars("b62", 24)}@${host(d)}:6379/0`),
  shown("url-amqp", "AMQP_URL", (d) => `amqps://${login(d)}@${host(d)}/${d.word()}`),
  shown("url-https", "REPO_URL", (d) => `https://${login(d)}@${host(d)}/${d.word()}.git`),
  shown(
    "ado-connection",
    "ConnectionString",
    (d) =>
      `Server=tcp:${host(d)},1433;Initial Catalog=${d.word()};User ID=${d.word()};Password=${
        d.chars("b62", 18)
      };Encrypt=True`,
  ),
  shown("basic-auth", "AUTH_HEADER", (d) => `Basic ${btoa(login(d))}`),

  generic(
    "password-random",
    "DB_PASSWORD password smtpPassword MYSQL_ROOT_PASSWORD admin_password passwd",
    (d) => d.chars("b62", 12 + d.int(12)),
  ),
  generic(
    "password-marks",
    "DB_PASSWORD password redisPassword LDAP_PASS ADMIN_PWD passphrase",
    (d) => password(d, 10 + d.int(10)),
  ),
  generic("key-hex32", "API_KEY apiKey api_key X_API_KEY SERVICE_API_KEY", hex(32)),
  generic("key-hex64", "ENCRYPTION_KEY SECRET_KEY_BASE masterKey signing_key", hex(64)),
  generic(
    "key-b62",
    "API_KEY access_key clientKey APP_KEY SERVICE_KEY",
    (d) => d.chars("b62", 20 + d.int(21)),
  ),
  generic(
    "secret-b62",
    "CLIENT_SECRET client_secret sessionSecret JWT_SECRET WEBHOOK_SECRET",
    (d) => d.chars("b62", 24 + d.int(17)),
  ),
  generic(
    "secret-base64",
    "SECRET_KEY cookieSecret HMAC_SECRET APP_SECRET",
    (d) => btoa(String.fromCharCode(...Array.from({ length: 32 }, () => d.int(256)))),
  ),
  generic(
    "token-lower",
    "AUTH_TOKEN access_token deployToken BOT_TOKEN refresh_token",
    (d) => d.chars("lower", 24 + d.int(17)),
  ),
  generic(
    "token-url",
    "API_TOKEN accessToken SERVICE_TOKEN auth_token",
    (d) => d.chars("b62", 1) + d.chars("url", 30 + d.int(12)) + d.chars("b62", 1),
  ),
];
