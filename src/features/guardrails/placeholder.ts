/** Distinguishes samples, placeholders and references from secrets. */
import { entropy, longestRun, repeats } from "./randomness.ts";

/** One in 5,000 random tokens of 40 characters contains one of these by chance. */
const STANDS_FOR =
  /example|placehold|change[_-]?(?:me|this|it)|replace[_-]?(?:me|this|with)|redact|dummy|sample|your[_-]|insert[_-]|(?:goes|value|token|secret|key|password)[_-]?here|x{6}|foobar|foo[_-]bar|notreal|not[_-]a[_-]|thisis|deadbeef|lorem|obfuscat|\.\.\.|\*{3}|\u2026/i;

/** Four-letter words, matched by case: in any case they would occur by chance. */
const STANDS_FOR_TOO = /fake|Fake|FAKE|(?:^|[_\-. <])(?:[Yy]our|YOUR|todo|TODO)/;

/** Words that only count in values of no known shape. */
const SOUNDS_LIKE =
  /masked|hidden|s3cr3t|sekrit|t0k3n|secret[_-]?(?:value|key|token)|test[_-]?(?:token|key|secret|value)|(?:^|[_-])my[_-]?(?:secret|token|key|password|api)|some[_-]?(?:secret|token|key|password|random)|super[_-]?secret/i;

/** References to a value elsewhere: variables, templates, calls, secret stores. */
const REFERENCE =
  /^\$\w|\$\{|\$\(|\$\[|\{\{|\}\}|<%|%>|#\{|^\{[\w.]*\}$|^%[\w.]+%$|^%\(|%[sd]|^<[^>]*>$|^\[[^\]]*\]$|^@\w+@$|^(?:process\.env|os\.environ|os\.getenv|import\.meta|env[.[(]|ENV\[|getenv|secrets?\.|vars?\.|local\.|data\.|module\.|config\.|settings\.|this\.|self\.|args?\.|options?\.|props?\.|params?\.|req(?:uest)?\.|ctx\.|context\.|!Ref|!Sub|!GetAtt|vault:|ref\+|ssm:|arn:|op:\/\/|keyring:|awssm:|file:|enc:|ENC[([]|\{cipher\}|AQICAH|secretref:|projects\/)/i;

/** FNV-1a hashes of vendors' samples: in plain, scanners would report this file. */
const PUBLIC_SAMPLES = new Set([
  "b32be9dac0cc49e7",
  "1dd71661384ed6f4",
  "ae9c1b201cc53023",
  "8f84ed0cca3f82eb",
  "a95ca8100bcb13ed",
  "74f98ddd8dd5209e",
  "85811add30d947b2",
  "4b89b9e191627570",
  "9fc35e3bca20570e",
  "b73ab3bde972e9a4",
  "00811dda1d14fe37",
  "1ab2453c99a23fe1",
  "21c72da96e701be4",
  "82a1e9991ba0f990",
  "15a96d59ef5029cc",
  "9b5759e222de2f8f",
  "95e67d10f21d989d",
  "384273fe86f9f31b",
  "7130475e99a6af4b",
  "b60b4bdbf83b0898",
  "26c6b132a74ff221",
  "dd4a0e26f97d14a5",
  "0ef1bee4690ebc59",
  "588e80222ed4c035",
  "61b7ef71ca3382ee",
  "9c20a65b7d44300a",
  "aa6c4b380595bce5",
  "2b1b9a4899cbec21",
  "099a1c458b00e4c8",
  "6d4761f2fcd17dab",
  "f3117faeb3877a9b",
  "16a846100b9a312d",
  "8b88b540c9cec95f",
  "dc11ceb4d8c5d369",
  "5c427c8dffcb951e",
  "5a9acf7695416fe1",
  "316c484d03733af4",
  "22759a4411f0bf71",
  "486389db70cb353e",
  "c34c2814bb823181",
  "0f476566e78eabab",
  "a835932421a436a5",
  "d2eb27fa09cc615b",
  "a0863daa1f830181",
  "1c2a8f554eefd2ac",
]);

const LONGEST_SAMPLE = 256;

/** FNV-1a (64 bits) over the UTF-16 units, as 16 hex digits. */
function shortHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high ^ text.charCodeAt(i), 0x01000197);
  }
  return (high >>> 0).toString(16).padStart(8, "0") + (low >>> 0).toString(16).padStart(8, "0");
}

export function isPublicSample(value: string): boolean {
  return value.length <= LONGEST_SAMPLE && PUBLIC_SAMPLES.has(shortHash(value));
}

export function isReference(value: string): boolean {
  return REFERENCE.test(value);
}

export function soundsLikeSample(value: string): boolean {
  return SOUNDS_LIKE.test(value);
}

export function isPlaceholder(value: string): boolean {
  if (STANDS_FOR.test(value) || STANDS_FOR_TOO.test(value)) return true;
  if (value.length > 512) return false; // long random texts contain short runs by chance
  const body = value.replace(/^[A-Za-z]{2,12}[_.\-:]/, "");
  const run = longestRun(body);
  if (run >= 7 || (body.length <= 40 && run >= 6)) return true;
  if (body.length >= 12 && (entropy(body) < 2.4 || repeats(body))) return true;
  return isPublicSample(value);
}
