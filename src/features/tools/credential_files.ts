/** Files whose names say that they hold credentials: no tool shows one that git does not track. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { foldedParts, quoted } from "svc/core/repo_path.ts";
import type { GrepQuery } from "svc/platform/git/grep.ts";
import { isReadable, mustBeReadable } from "./path_arg.ts";
import { sameStamp } from "./text_file.ts";
import type { ToolSession } from "./tool.ts";

type Looking = Pick<ToolSession, "tree" | "seen">;

/** Matched against folded paths with a leading slash. */
const CREDENTIAL_NAMES: readonly RegExp[] = [
  /\/\.env(?:rc)?(?:[^a-z0-9/][^/]*)?$/,
  /[^/]\.env$/,
  /\/\.dev\.vars(?:\.[^/]*)?$/,
  /\/(?:[._]netrc|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.pypirc|\.htpasswd)$/,
  /\/\.(?:git-credentials|vault-token|dockercfg|dockerconfigjson|s3cfg|boto|secrets|terraformrc)$/,
  /\/\.?(?:vault[-_]pass(?:word)?(?:\.txt)?|rclone\.conf|databrickscfg|sentryclirc|clasprc\.json)$/,
  /\/(?:(?:key|keystore|signing|sentry)\.properties|gh\/hosts\.ya?ml|\.m2\/settings(?:-security)?\.xml)$/,
  /\/\.(?:aws\/credentials|kube\/config|docker\/config\.json)$/,
  /\/\.(?:cargo|gem)\/credentials(?:\.toml)?$/,
  /\/id_(?:rsa|dsa|ecdsa|ed25519)(?:[^a-z0-9/][^/]*)?$/,
  /\.(?:key|keystore|keytab|jks|p12|pfx|p8|ppk|kdbx|agekey|kubeconfig|ovpn)$/,
  /\.(?:tfvars(?:\.json)?|tfstate(?:\.[^/]*)?|tfrc\.json)$/,
  /\/(?:kubeconfig(?:\.ya?ml)?|terraform\.rc|auth\.json|local\.settings\.json)$/,
  // Also `gcp-credentials.json`, Firebase's `serviceAccountKey.json`, and what google-github-actions/auth leaves.
  /[/._-]credentials(?:[._-][^/]*)?\.json$/,
  /[/._-](?:client[-_]?secrets?|service[-_]?account(?:[-_]?keys?)?)(?:[._-][^/]*)?\.json$/,
  /(?:\/gha-creds-[^/]*|[/._-]firebase[-_]adminsdk[^/]*)\.json$/,
  /\/secrets(?:\.[^/]*)?\.(?:ya?ml|json|toml|ini|properties)$/,
];

/** These hold credentials where their text says so: a `.pem` may be a certificate. */
const CREDENTIAL_TEXTS: readonly { readonly name: RegExp; readonly text: RegExp }[] = [
  { name: /\.pem$/, text: /PRIVATE KEY/ },
  {
    name: /\/\.(?:npmrc|yarnrc\.yml)$/,
    text: /(?:_authToken|_auth|_password|npmAuthToken|npmAuthIdent)["']?\s*[=:]\s*(?!["']?\$\{)\S/i,
  },
  // Logins are named by their host, as in BUNDLE_GEMS__EXAMPLE__COM (bundle-config(1)).
  { name: /\/\.bundle\/config$/, text: /^BUNDLE_[A-Z0-9_]{1,60}__[A-Z0-9_]{1,60}:/m },
  { name: /\/nuget\.config$/, text: /ClearTextPassword/i },
];

/** Written to be shown: `.env.example`, `id_rsa.pub`. */
const SHOWN =
  /(?:[._/-](?:example|sample|template|tmpl|tpl|dist|defaults|schema)(?:[._-]|$)|\.pub$)[^/]*$/;

const folded = (path: string) => `/${foldedParts(path).join("/")}`;

/** By its name alone, so also of one that git tracks, or that holds none. */
export function namesCredentials(path: string): boolean {
  const name = folded(path);
  return !SHOWN.test(name) &&
    (CREDENTIAL_NAMES.some((one) => one.test(name)) ||
      CREDENTIAL_TEXTS.some((one) => one.name.test(name)));
}

/**
 * Those of the paths whose names say that they hold credentials and that git does not track, whatever they
 * contain.
 */
export async function untrackedCredentials(
  { tree: { git } }: Pick<Looking, "tree">,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const named = [...new Set(paths)].filter(namesCredentials);
  if (named.length === 0) return new Set();
  const tracked = await git.trackedAmong(named);
  return new Set(named.filter((path) => !tracked.has(path)));
}

/** False for what the session itself has written there or seen, and for a certificate. */
async function holdsCredentials({ tree: { folder }, seen }: Looking, path: string) {
  const known = seen.get(path);
  const { text } = CREDENTIAL_TEXTS.find(({ name }) => name.test(folded(path))) ?? {};
  if (known === undefined && text === undefined) return true;
  try {
    const content = await folder.read(path, { maxBytes: FILE_WRITE_BYTES });
    if (known !== undefined && sameStamp(known, content)) return false;
    const { bytes, truncated } = content;
    if (text === undefined || truncated || bytes.includes(0)) return true;
    return text.test(new TextDecoder().decode(bytes));
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return true; // nobody knows what it holds
  }
}

/** Those of the paths that no tool may show or commit, and in which no search may report matches. */
export async function withheldCredentials(
  session: Looking,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of await untrackedCredentials(session, paths)) {
    if (await holdsCredentials(session, path)) found.add(path);
  }
  return found;
}

export const CREDENTIALS_WHY = "its name says that it holds credentials, and git does not track it";

/** For tools that show the text of a file on disk; a folder passes. @throws Failure `refused` */
export async function mustBeShowable(session: Looking, path: string): Promise<void> {
  mustBeReadable(path);
  if (!namesCredentials(path)) return;
  if ((await session.tree.folder.stat(path))?.kind !== "file") return;
  if (!(await withheldCredentials(session, [path])).has(path)) return;
  throw new Failure("refused", `Cannot read ${quoted(path)}: ${CREDENTIALS_WHY}`, {
    remedy: "Do without its values: a sample such as .env.example may have the names, or finish " +
      "and say what you need. Where it holds no secret, a person has git track it: git add",
  });
}

/** `git grep` of what may be shown. */
export async function grepShowable(session: Looking, query: GrepQuery) {
  const found = await session.tree.git.grep(query);
  const readable = found.hits.filter(({ path }) => isReadable(path));
  const hidden = await withheldCredentials(session, readable.map(({ path }) => path));
  return { ...found, hits: readable.filter(({ path }) => !hidden.has(path)) };
}
