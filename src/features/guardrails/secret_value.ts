/** Judges whether the value under a telling name is a secret or something a program says. */
import { isPlaceholder, isReference, soundsLikeSample } from "./placeholder.ts";
import { classesOf, entropy, wordShare } from "./randomness.ts";

/** Values with a meaning of their own: ids, digests, versions, dates, addresses, paths, media types. */
const MEANS_SOMETHING =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\{[0-9a-f-]{36}\}|v?\d+(?:\.\d+)+(?:[-+][\w.]+)?|\d{4}-\d\d-\d\d(?:[T ].*)?|[\d.,:+-]+%?|0x[0-9a-f]{1,8}|#[0-9a-f]{3,8}|sha(?:1|256|384|512)[-:=].*|(?:md5|sha\d*|urn|uuid|did|data|blob|mailto|tel|npm|git|ssh-\w+|ecdsa-\S+)[:-].*|(?:rsa|ssh|ecdsa|hmac|aes|sha|ed|curve|diffie|chacha|aws)\d*[_-][\w-]{1,20}|AAAA[BCE]3Nza.*|MI(?:IB|GfM|IC|ID|IE)[A-Za-z0-9+/]{4}ANBgkqh.*|M(?:Fk|Hc|Fo)wE.*|[\w.+-]+@[\w-]+\.[\w.-]+|\$2[abxy]\$.*|\$argon2.*|\$[156]\$.*|pbkdf2.*|scrypt:.*|pk_(?:live|test)_.*|pk\..*)$/i;

const PATH =
  /^(?:[a-z][\w+.-]*:)?\/\/|^(?:\.{0,2}|~|[A-Za-z]:)[\\/](?![A-Za-z0-9+/]{38,}={0,2}$)|\.(?:json|ya?ml|pem|crt|key|txt|env|js|ts|py|go|rb|sh|conf|cfg|ini|toml|xml|html?|md|png|svg|css)$|^[\w@.-]+(?:\/[\w@.-]*[a-z]{3}[\w@.-]*){2,}$/i;

/** Dots, dashes or underscores between parts that are each a word or a short number. */
function isIdentifier(value: string): boolean {
  if (!/^[A-Za-z_$][\w$.:/-]*$/.test(value)) return false;
  if (/^[A-Za-z]+(?:[_-](?:[A-Za-z]+|\d+)){2,}$/.test(value)) return true;
  return value.split(/[_.:/$-]+/).every((part) =>
    /^\d{0,4}$/.test(part) || /^[A-Za-z]{1,3}\d{0,2}$/.test(part) ||
    (wordShare(part) >= 0.6 && (part.match(/\d/g)?.length ?? 0) <= 3)
  );
}

/** Passwords that everybody writes in samples; also with a digit or mark in place of a letter. */
const COMMON =
  /^(?:p[a@4][s$5]{2}(?:w[o0]?rd|wd|code|phrase)?|admin(?:istrator)?|root|user(?:name)?|guest|test(?:ing|er)?|demo|default|temp|qwerty|letmein|welcome|secret|hello(?:world)?|abc|asdf|changeit|postgres|mysql|mongo|redis|rabbit(?:mq)?|minio|elastic|string|null|none|true|false|undefined|required|optional|value|token|key|api|foo|bar|baz|hunter|mypass(?:word)?|monkey|dragon|super|correct|invalid|wrong|new|old|my|the|some|a|valid|strong|weak|very|first|second|bad|good|short|long|login|db|app|dev|prod|local|staging|[\d_\-.@!#$%^&*?+]+)+$/i;

/** A name-value pair as the generic rules see it. */
export interface Candidate {
  readonly value: string;
  /** `password` takes what people choose; `key` takes what machines draw. */
  readonly as: "password" | "key";
  readonly quoted: boolean;
  /** The file is program text, where a bare value is an expression. */
  readonly program: boolean;
}

/** Whether the value is random enough, and nothing else, to be a secret. */
export function looksSecret({ value, as, quoted, program }: Candidate): boolean {
  if (value.length < 8 || value.length > 512 || /\s|[\u0250-\uffff]/.test(value)) return false;
  if (isReference(value) || MEANS_SOMETHING.test(value) || PATH.test(value)) return false;
  if (COMMON.test(value) || isPlaceholder(value) || soundsLikeSample(value)) return false;
  if (isIdentifier(value) || coversSample(value) || CUT_SHORT.test(value)) return false;
  if (!quoted && (/[(){}[\]]|\w\.\w+\(|=>|&&|\|\||^[!~*]/.test(value) || !/\d/.test(value))) {
    return false;
  }
  if (
    !quoted && program &&
    (value.length < 16 || /[.?!;]|^[A-Za-z_$]+\d*[A-Za-z_]*\d*$/.test(value))
  ) {
    return false;
  }
  if (!/[A-Za-z]/.test(value)) return false;
  const words = wordShare(value);
  const classes = classesOf(value);
  return as === "password" ? choosable(value, classes, words) : drawn(value, classes, words);
}

/** Base64 of a login or password that everybody writes. */
function coversSample(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,200}={0,2}$/.test(value) || value.replace(/=+$/, "").length % 4 === 1) {
    return false;
  }
  const plain = atob(value.replace(/=+$/, ""));
  if (!/^[\x20-\x7e]{5,}$/.test(plain)) return false;
  const last = plain.slice(plain.lastIndexOf(":") + 1);
  return COMMON.test(last) || isPlaceholder(plain) || soundsLikeSample(plain) ||
    (/ /.test(plain) && wordShare(plain) > 0.4) ||
    wordShare(plain) > 0.7;
}

function choosable(value: string, classes: number, words: number): boolean {
  if (SYNTAX.test(value)) return false;
  if (words >= 0.5 && /pass|test|word|secret|my|some|char/i.test(value)) return false;
  const digit = /\d/.test(value);
  if (classes >= 3 && digit) return words < 0.75 || value.length >= 10;
  if (classes >= 2 && digit) return words < 0.5 && entropy(value) >= 2.6;
  if (zigzags(value) && words < 0.4) return true;
  return classes >= 3 && words < 0.4 && value.length >= 10 && !/^[A-Za-z]+[^A-Za-z]$/.test(value);
}

/** Calls, tags, selectors, patterns: what program text has where a password would stand. */
const SYNTAX = /^[\w.]+\(|[<>]|^[#.][a-z]|[|:]\w+:|\w\|\w|\[\^?[\w\\]|\{\d|\\[swdbnt]/;

/** Upper case begins so often within the text that no words explain it. */
function zigzags(value: string): boolean {
  return value.length >= 14 && (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= value.length / 7;
}

function drawn(value: string, classes: number, words: number): boolean {
  if (SYNTAX.test(value)) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  const bits = entropy(value);
  if (words >= (digits >= 3 ? 0.45 : 0.3)) return false;
  if (/^[0-9a-f]+$/i.test(value)) {
    return value.length >= 16 && digits >= 2 && digits < value.length - 1 && bits >= 2.8;
  }
  if (value.length < 12) {
    return digits >= 2 && bits >= 2.8 && /[a-z]/.test(value) && /[A-Z]/.test(value);
  }
  if (digits === 0) return value.length >= 20 && bits >= 3.7 && zigzags(value);
  if (digits === 1) return classes >= 3 || (value.length >= 20 && bits >= 3.5);
  return bits >= (value.length < 20 ? 2.9 : 3.2);
}

/** A vendor's prefix with less after it than the vendor ever issues: a sample cut short. */
const CUT_SHORT =
  /^(?:gh[pousr]_.{0,35}|github_pat_.{0,69}|gl(?:pat|dt|rt|ft|soat)-.{0,19}|xox[a-z]-.{0,19}|xapp-.{0,40}|[sr]k_(?:live|test)_.{0,19}|(?:AKIA|ASIA).{0,15}|AIza.{0,34}|npm_.{0,35}|pypi-.{0,50}|SG\..{0,60}|hf_.{0,33}|do[por]_v1_.{0,63}|sk-(?:ant|proj|or)-.{0,39}|shp(?:at|ca|pa|ss)_.{0,31}|eyJ[^.]*(?:\.[^.]{0,20})?)$/;
