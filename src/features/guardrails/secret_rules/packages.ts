/** Secret rules for package registries and their client files. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { looksDrawn } from "svc/features/guardrails/randomness.ts";
import { named, type SecretRule, token, UUID } from "./rule.ts";

export const packageRules = (): readonly SecretRule[] => [
  token({
    id: "npm-access-token",
    about: "npm access token",
    prefix: "npm_",
    body: "[A-Za-z0-9]{36}",
    example: (draw) => draw.base62(36),
    lookalikes: (
      draw,
    ) => [`npm_${draw.base62(20)}`, "npm_config_registry=https://registry.npmjs.org"],
  }),
  {
    id: "npmrc-auth",
    about: "Registry token or password in an .npmrc",
    kind: "structured",
    keywords: ["_authtoken", "_auth", "_password"],
    pattern:
      /_(?:authToken|auth|password)[ \t]{0,4}[=:][ \t]{0,4}["']?(?<secret>[A-Za-z0-9+/=_.\-]{16,1000})/,
    openLeft: true,
    check: (secret, { match, text, index }) =>
      looksDrawn(secret) &&
      (/authToken/.test(match) || /(?:^|[\n:+ ])$/.test(text.slice(Math.max(0, index - 1), index))),
    examples: (draw) => [
      `//registry.npmjs.org/:_authToken=${draw.uuid()}`,
      `//npm.acme.test/:_authToken=${draw.base62(40)}`,
      `_auth=${btoa(`deploy:${draw.base62(16)}`)}`,
    ],
    lookalikes: () => [
      "//registry.npmjs.org/:_authToken=${NPM_TOKEN}",
      "//registry.npmjs.org/:_authToken=<your-token>",
      "my_auth=enabled",
    ],
  },
  token({
    id: "pypi-token",
    about: "PyPI or TestPyPI upload token",
    prefix: ["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw", "pypi-AgE"],
    body: "[A-Za-z0-9_-]{50,1000}",
    example: (draw) => draw.url64(150),
  }),
  token({
    id: "rubygems-api-key",
    about: "RubyGems API key",
    prefix: "rubygems_",
    body: "[0-9a-f]{48}",
    example: (draw) => draw.hex(48),
  }),
  token({
    id: "nuget-api-key",
    about: "NuGet API key",
    prefix: "oy2",
    body: "[a-z0-9]{43}",
    example: (draw) => draw.lower(43),
  }),
  {
    id: "nuget-config-password",
    about: "Password in a NuGet.config",
    kind: "structured",
    keywords: ["cleartextpassword"],
    pattern: /cleartextpassword"?[ \t]{1,8}value="(?<secret>[^"\n%${}<>]{6,200})"/i,
    openLeft: true,
    examples: (draw) => [`<add key="ClearTextPassword" value="${draw.base62(20)}" />`],
    lookalikes: () => ['<add key="ClearTextPassword" value="%NUGET_TOKEN%" />'],
  },
  token({
    id: "crates-io-token",
    about: "crates.io API token",
    prefix: "cio",
    body: "(?=[A-Za-z]{0,42}\\d)(?=[a-z0-9]{0,42}[A-Z])[A-Za-z0-9]{32}",
    example: (draw) => `${draw.digits(1)}Q${draw.base62(30)}`,
  }),
  token({
    id: "clojars-token",
    about: "Clojars deploy token",
    prefix: ["CLOJARS_", "clojars_"],
    body: "[A-Za-z0-9]{60}",
    example: (draw) => draw.lower(60),
  }),
  token({
    id: "packagist-token",
    about: "Private Packagist token",
    prefix: [
      "packagist_ort_",
      "packagist_out_",
      "packagist_uut_",
      "packagist_ack_",
      "packagist_acs_",
    ],
    body: "[0-9a-f]{60,80}",
    example: (draw) => draw.hex(68),
  }),
  token({
    id: "docker-token",
    about: "Docker Hub personal or organization access token",
    prefix: ["dckr_pat_", "dckr_oat_"],
    body: "[A-Za-z0-9_-]{27,36}",
    example: (draw) => draw.url64(27),
  }),
  {
    id: "docker-config-auth",
    about: "Registry login in a Docker config",
    kind: "structured",
    keywords: ['"auth"', '\\"auth\\"'],
    pattern: /\\?"auth\\?"[ \t]{0,8}:[ \t]{0,8}\\?"(?<secret>[A-Za-z0-9+/]{10,400}={0,2})\\?"/,
    check: (secret) => decodesToLogin(secret),
    examples: (draw) => [`{"auths":{"ghcr.io":{"auth":"${btoa(`bot:${draw.base62(24)}`)}"}}}`],
    lookalikes: () => ['"auth": "required_for_all"', '{"auth": "dXNlcjpwYXNzd29yZA=="}'],
  },
  token({
    id: "artifactory-api-key",
    about: "JFrog Artifactory API key",
    prefix: "AKCp",
    body: "[A-Za-z0-9]{69,73}",
    example: (draw) => draw.base62(69),
  }),
  token({
    id: "artifactory-reference-token",
    about: "JFrog Artifactory reference token",
    prefix: "cmVmd",
    body: "[A-Za-z0-9]{59}",
    example: (draw) => `GtuOjAxO${draw.base62(51)}`,
  }),
  named({
    id: "jfrog-token",
    about: "JFrog key or identity token, named",
    name: "jfrog|artifactory|bintray|xray",
    keywords: ["jfrog", "artifactory", "bintray", "xray_"],
    value: "[A-Za-z0-9]{73}|[A-Za-z0-9]{64}|[0-9a-f]{40}",
    check: (_secret, { match }) => /key|token|secret|passw/i.test(match),
    example: (draw) => ["ARTIFACTORY_API_KEY", draw.base62(73)],
  }),
  named({
    id: "package-service-key",
    about: "Cloudsmith, Gemfury, Packagecloud, Sonatype, Anaconda or Hex key, named",
    name:
      "cloudsmith|gemfury|packagecloud|sonatype|ossrh|anaconda|hex_api|cargo_registry|expo|eas_",
    keywords: [
      "cloudsmith",
      "gemfury",
      "packagecloud",
      "sonatype",
      "ossrh",
      "anaconda",
      "hex_api",
      "cargo_registry",
      "expo_token",
    ],
    value:
      `[0-9a-f]{40}|[0-9a-f]{48}|[A-Za-z0-9_-]{40}|[0-9a-f]{32}|${UUID}|[A-Za-z0-9+/]{44}|[A-Za-z0-9]{35}`,
    check: (secret, { match }) => /key|token|secret|passw/i.test(match) && looksDrawn(secret),
    example: (draw) => ["CLOUDSMITH_API_KEY", draw.hex(40)],
  }),
  {
    id: "sidekiq-credential",
    about: "Sidekiq Pro or Enterprise download credential",
    kind: "context",
    keywords: ["contribsys"],
    pattern:
      /(?<=https?:\/\/(?<url>[0-9a-f]{8}:[0-9a-f]{8})@(?:gems|enterprise)\.)contribsys|contribsys_{0,2}com(?::? string)?[^\w]{1,16}(?:value[^\w]{1,6})?(?<secret>[0-9a-f]{8}:[0-9a-f]{8})/i,
    examples: (draw) => [`BUNDLE_ENTERPRISE__CONTRIBSYS__COM=${draw.hex(8)}:${draw.hex(8)}`],
    lookalikes: () => ["BUNDLE_ENTERPRISE__CONTRIBSYS__COM=user:pass"],
  },
];

export function decodesToLogin(value: string): boolean {
  if (value.length % 4 === 1) return false;
  let login: string;
  try {
    login = atob(withoutEnding(value, "="));
  } catch {
    return false; // not base64
  }
  const [, password] = login.match(/^[\x21-\x39\x3b-\x7e]{1,80}:([\x20-\x7e]{4,200})$/) ?? [];
  return password !== undefined &&
    !/^(?:pass|passwd|password|secret|token|user|test|admin|xxx+)\d*$/i.test(password);
}
