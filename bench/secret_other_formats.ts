/** The second corpus's tokens, written as shapes: `{62:36}` stands for 36 characters of base62. */
import { Dice, SETS } from "./secret_dice.ts";

/** Letters of the shapes: a set of characters each. */
const LETTERS: Record<string, keyof typeof SETS> = {
  "62": "b62",
  h: "hex",
  H: "HEX",
  d: "num",
  u: "upper",
  l: "lower",
  a: "az",
  A: "alpha",
  s: "b64",
  w: "url",
  t: "b32",
  x: "b58",
};

/** `name | names | shape`: name `!` when only the name tells the value. */
export const SHAPES: readonly string[] = `
aws id | aws_access_key_id, AWS_ACCESS_KEY | AKIA{t:16}
aws temporary id | aws_access_key_id | ASIA{t:16}
aws secret! | aws_secret_access_key, AWS_SECRET_KEY, aws.secretKey | {62:8}/{s:15}+{62:15}
bedrock | AWS_BEARER_TOKEN_BEDROCK | ABSK{s:120}=
github classic | GH_TOKEN, github.token | ghp_{62:36}
github actions | token | ghs_{62:36}
github refresh | refresh | ghr_{62:36}
github fine grained | pat | github_pat_{62:22}_{62:59}
gitlab personal | gitlab_token, CI_JOB_TOKEN | glpat-{62:20}
gitlab deploy | deploy | gldt-{62:20}
gitlab agent | agent | glagent-{62:50}
gitlab job | job | glcbt-{h:2}_{62:20}
gitlab registration | registration | GR1348941{62:20}
slack bot | slack | xoxb-{d:11}-{d:12}-{62:24}
slack config | slack | xoxe.xoxp-1-{62:166}
slack workflow | hook | https://hooks.slack.com/workflows/T{u:10}/A{u:10}/{d:18}/{62:24}
slack app | slack | xapp-1-A{u:10}-{d:13}-{h:64}
openai project | openai_key | sk-proj-{62:48}T3BlbkFJ{62:48}
openai old | OPENAI_API_KEY | sk-{62:20}T3BlbkFJ{62:20}
openai admin | key | sk-admin-{62:58}T3BlbkFJ{62:58}
anthropic key | anthropic | sk-ant-api03-{w:92}aAA
google key | google_api_key, maps | AIzaSy{w:32}a
google secret | client | GOCSPX-{w:27}a
google access | google | ya29.a0{w:150}a
google refresh | refresh | 1//0{62:60}
azure entra | azure_client | {62:3}8Q~{62:34}
azure service bus | bus | Endpoint=sb://orders.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={s:43}=
alibaba id | aliyun | LTAI5t{62:18}
alibaba secret! | aliyun_access_key_secret, ALIBABA_CLOUD_ACCESS_KEY_SECRET | {62:30}
tencent id | tencent | AKID{62:32}
yandex | yc | AQVN{w:35}a
digitalocean | do_token | dop_v1_{h:64}
heroku new | heroku | HRKU-AA{62:58}
heroku! | heroku_api_key, HEROKU_KEY | {h:8}-{h:4}-{h:4}-{h:4}-{h:12}
fly token | fly | fm2_{s:120}
render | render | rnd_{62:31}7
vercel! | VERCEL_TOKEN, vercel_token | {62:23}7
netlify | netlify | nfp_{62:36}
cloudflare new | cf | cfut_{62:40}{h:8}
cloudflare origin | cf | v1.0-{h:24}-{h:146}
cloudflare! | CLOUDFLARE_API_KEY, cloudflare.apiToken | {h:37}
fastly! | fastly_api_key, FASTLY_TOKEN | {62:31}7
supabase | supabase | sbp_{h:40}
planetscale | db | pscale_tkn_{62:43}
databricks | databricks_token | dapi{h:32}
pulumi | pulumi | pul-{h:40}
terraform | tfc | {62:14}.atlasv1.{62:67}
vault new | vault | hvs.{62:95}
vault batch | vault | hvb.{62:150}
doppler | doppler | dp.st.dev.{62:43}
onepassword | op | ops_eyJ{s:300}
onepassword key | op | A3-{u:6}-{u:6}-{u:5}-{u:5}-{u:5}-{u:5}
openshift | oc | sha256~{w:42}a
tailscale | ts | tskey-api-k{62:11}CNTRL-{62:33}
infracost | ico | ico-{62:32}
prefect | prefect | pnu_{62:36}
huggingface | hf | hf_{A:34}
groq | groq | gsk_{62:52}
replicate | replicate | r8_{62:37}
perplexity | pplx | pplx-{62:48}
xai | xai | xai-{62:80}
openrouter | router | sk-or-v1-{h:64}
deepseek | deepseek | sk-{h:32}
langsmith | langsmith | lsv2_sk_{h:32}_{h:10}
pinecone | pinecone | pcsk_{62:5}_{62:63}
cohere! | COHERE_API_KEY, cohere.api.key | {62:39}7
mistral! | MISTRAL_API_KEY, mistral_api_key | {62:31}7
nvidia | nv | nvapi-{w:63}a
stripe live | stripe | sk_live_51{62:97}
stripe restricted | stripe | rk_live_{62:24}
stripe hook | hook | whsec_{62:32}
square | square | sq0csp-{62:43}
square live | square | EAAA{62:58}7a
paypal braintree | bt | access_token$production\${l:16}\${h:32}
shopify | shop | shpat_{h:32}
shopify shared | shop | shpss_{h:32}
easypost | ep | EZAK{62:54}
shippo | shippo | shippo_live_{h:40}
duffel | duffel | duffel_live_{62:43}
lob | lob | live_{h:35}
flutterwave | flw | FLWSECK_TEST-{h:32}-X
plaid token | plaid | access-sandbox-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}
plaid! | PLAID_SECRET, plaid_secret | {h:30}
coinbase! | coinbase_api_secret, COINBASE_SECRET | {62:64}
npm | npm | npm_{62:36}
pypi | pypi | pypi-AgEIcHlwaS5vcmc{w:151}a
rubygems | gems | rubygems_{h:48}
nuget | nuget | oy2{l:43}
crates | crates | cio{62:30}Q7
clojars | clojars | CLOJARS_{l:60}
docker | docker | dckr_pat_{62:27}
artifactory | jf | AKCp{62:69}
discord | discord | MTE{d:0}4{62:0}NzYxMjM0NTY3ODkwMTIz.G{62:5}.{62:38}
discord hook | discord | https://discord.com/api/webhooks/{d:18}/{62:68}
telegram | tg | 58{d:8}:AA{62:33}
twilio key | twilio | SK{h:32}
twilio! | TWILIO_AUTH_TOKEN, twilio.auth-token | {h:32}
sendgrid | sg | SG.{62:22}.{62:43}
mailgun | mg | key-{h:32}
mailchimp | mc | {h:32}-us12
brevo | brevo | xkeysib-{h:64}-{62:16}
resend | resend | re_{62:7}7_{62:24}
teams hook | teams | https://acme.webhook.office.com/webhookb2/{h:8}-{h:4}-{h:4}-{h:4}-{h:12}@{h:8}-{h:4}-{h:4}-{h:4}-{h:12}/IncomingWebhook/{h:32}/{h:8}-{h:4}-{h:4}-{h:4}-{h:12}
facebook | fb | EAA{62:180}
twitter! | TWITTER_BEARER_TOKEN, twitter_bearer | AAAAAAAAAAAAAAAAAAAAAA{62:30}%3D{62:50}
linkedin! | LINKEDIN_CLIENT_SECRET, linkedin.secret | {62:15}7
datadog! | DD_API_KEY, datadog.api_key | {h:32}
datadog app! | DD_APP_KEY, datadog_app_key | {h:40}
new relic | nr | NRAK-{u:27}
new relic license | nr | {h:36}NRAL
grafana | grafana | glsa_{62:32}_{h:8}
grafana cloud | grafana | glc_{s:80}
dynatrace | dt | dt0c01.{t:24}.{t:64}
sentry user | sentry | sntryu_{h:64}
honeycomb | hc | hcaik_{l:58}
launchdarkly | ld | sdk-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}
pagerduty! | PAGERDUTY_TOKEN, pagerduty.apiKey | {62:19}7
new sonar | sonar | squ_{h:40}
snyk! | SNYK_TOKEN, snyk_token | {h:8}-{h:4}-{h:4}-{h:4}-{h:12}
codecov! | CODECOV_TOKEN, codecov_token | {h:8}-{h:4}-{h:4}-{h:4}-{h:12}
circleci | ci | CCIPAT_{62:22}_{h:40}
buildkite | bk | bkua_{h:40}
harness | harness | pat.{62:22}.{h:24}.{62:20}
airtable | at | pat{62:14}.{h:64}
asana | asana | 1/{d:16}:{h:32}
linear | linear | lin_api_{62:40}
notion | notion | ntn_{d:11}{62:34}Q
notion old | notion | secret_{62:42}7
figma | figma | figd_{w:39}a
postman | postman | PMAK-{h:24}-{h:34}
contentful | cf | CFPAT-{62:43}
mapbox | mapbox | sk.eyJ1Ijoi{62:70}.{62:22}
typeform | tf | tfp_{62:44}_{62:14}
readme | rm | rdme_{l:70}
dropbox | dbx | sl.{w:134}a
adafruit | aio | aio_{62:28}
hubspot | hs | pat-na1-{h:8}-{h:4}-{h:4}-{h:4}-{h:12}
okta! | OKTA_API_TOKEN, okta.token | 00{62:40}
auth0! | AUTH0_CLIENT_SECRET, auth0.clientSecret | {62:64}
algolia! | ALGOLIA_ADMIN_KEY, algolia_api_key | {h:32}
atlassian | jira | ATATT3xFfGF0{62:172}={H:8}
bitbucket | bb | ATBB{62:24}{H:8}
sourcegraph | sg | sgp_{h:16}_{h:40}
age | age | AGE-SECRET-KEY-1{t:0}QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE
rapidapi | rapid | {h:10}msh{h:15}p1{h:6}jsn{h:12}
postgres url | DATABASE_URL | postgresql://svc_app:{62:18}@pg-1.internal:5432/orders?sslmode=require
mongodb url | MONGO_URI | mongodb+srv://writer:{62:16}@prod.x1y2z.mongodb.net/?retryWrites=true
redis url | REDIS_URL | rediss://default:{62:32}@eu1-cache.upstash.io:6379
amqp url | AMQP | amqp://worker:{62:14}@rabbit.internal:5672/jobs
git url | remote | https://ci-bot:{62:20}@git.internal/team/app.git
ado string | Default | Data Source=sql.internal;Initial Catalog=Shop;User Id=shop;Password={62:16};Encrypt=true
jdbc | url | jdbc:postgresql://db.internal:5432/shop?user=shop&password={62:18}
`.trim().split("\n");

export interface Shape {
  readonly id: string;
  readonly names: readonly string[];
  readonly needsName: boolean;
  readonly shape: string;
}

export function parseShapes(): Shape[] {
  return SHAPES.map((line) => {
    const [id = "", names = "", ...shape] = line.split(" | ");
    return {
      id: id.replace(/!$/, ""),
      needsName: id.endsWith("!"),
      names: names.split(", "),
      shape: shape.join(" | "),
    };
  });
}

/** Draws one value of a shape. */
export function drawn(dice: Dice, shape: string): string {
  return shape.replace(
    /\{(\w+):(\d+)\}/g,
    (_, set: string, n: string) => dice.chars(LETTERS[set] ?? "b62", Number(n)),
  );
}
