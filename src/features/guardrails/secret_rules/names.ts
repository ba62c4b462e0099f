/** Tells which names hold a secret, and which only something about one. */

const set = (words: string) => new Set(words.trim().split(/\s+/));

/** Last words of names whose value is about a secret, but no secret itself. */
const ABOUT = set(`
  name names id ids arn arns ref refs reference references version versions path paths file files filename dir directory
  folder url urls uri uris endpoint endpoints host hosts length lengths len size type types kind kinds count counts counter
  max min limit limits ttl exp expiry expires expiration expired timeout age header headers prefix suffix field fields
  label labels title titles placeholder description descriptions hint hints message messages msg msgs error errors format
  formats pattern patterns regex regexp policy policies rule rules strength valid validator validation validate column
  columns param params parameter parameters alias class classname provider providers store stores manager managers service
  services handler handlers factory hash hashed hashes digest digests checksum checksums sha sha1 sha256 sha512 md5
  fingerprint fingerprints thumbprint thumbprints enabled required disabled status state input inputs form forms page
  pages route routes button buttons icon icons scope scopes issuer audience alg algorithm encoding address account user
  users username email emails date dates time times at by index position offset start end line lines schema model interface
  symbol selector query mutation screen modal component template example usage budget cost price ratio window sentence
  embedding map list stream balance mint contract pair test tests nonce signature timestamp realm callback challenge
  verifier method methods grant py pyi js ts jsx tsx mjs cjs mts cts go rb rs java json yaml yml md htm html changed reset
  confirm confirmation rotation source lookup group groups spec resource def defs definition definitions filter filters
`);

/** Words that anywhere in a name mean a public value or a label of the program. */
const HARMLESS = set(`
  public pub publishable authenticity csrf xsrf next continuation cursor pagination cancel cancellation design css color colour primary
  foreign partition sort cache row hash range idempotency i18n intl translation locale lookup group map object shortcut hot
  sha commit checksum integrity digest etag react child unique composite index parent sibling lock anon site vocab
  tokenizer lexer syntax grammar stop pad eos bos mask keyboard hotkey pk dedup dedupe deduplication registry dict
  dictionary enum lang language metric label tag attribute attr prop event feature flag module package routing message
  trace span correlation request
`);

const KEY_OF = set(`
  api apis app application access secret private priv auth authentication authorization encrypt encryption decrypt
  decryption crypto cipher aes des rsa hmac jwt jwe jws sign signing signature master root service svc account storage
  shared subscription admin client consumer deploy deployment ssh license licence session cookie webhook hook host function
  db database write server push integration ingest ingestion instrumentation rest user developer dev bot merchant gateway
  vault seal unseal recovery wallet eth device node cluster instance live prod production test staging sandbox salt
  security sdk management vendor partner platform backup data kms csr tls ssl x my the our provider agent ai llm model
  openai search maps sms mail email smtp payment apikey
`);

/** Splits `dbAdminPassword` and `DB-ADMIN_PASSWORD` into `db`, `admin`, `password`. */
export function wordsOf(name: string): string[] {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== "");
}

export function tellsOfSecret(words: readonly string[]): boolean {
  const last = words.findLast((word) => !/^\d{1,2}$/.test(word));
  return last !== undefined && !ABOUT.has(last) && !words.some((word) => HARMLESS.has(word));
}

/** Words that end with "pass" and name no password: `bypass_reg`, `LOWPASS`, `hipass_ctrl`, Qualcomm's `lpass`. */
const NO_PASSWORD = /^(?:by|com|tres|sur|over|l|lo|low|hi|high|band|all|render)pass(?:es|ed)?$/;

export function isPasswordName(words: readonly string[]): boolean {
  return words.some((word) => /pass|pwd|pswd/.test(word) && !NO_PASSWORD.test(word));
}

export function isSecretKey(words: readonly string[]): boolean {
  const key = words.findIndex((word) => /keys?$/.test(word));
  if (/(?:api|secret|access|auth|private)keys?$/.test(words[key] ?? "")) return true;
  return words.slice(0, key).some((word) => KEY_OF.has(word));
}
