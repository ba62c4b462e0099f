/** Judges whether the value under a telling name is a secret or ordinary text of a program. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { isPlaceholder, isReference, soundsLikeSample } from "./placeholder.ts";
import { classesOf, entropy, wordShare } from "./randomness.ts";

const MEANS_SOMETHING =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\{[0-9a-f-]{36}\}|v?\d+(?:\.\d+)+(?:[-+][\w.]+)?|\d{4}-\d\d-\d\d(?:[T ].*)?|[\d.,:+-]+%?|0x[0-9a-f]{1,8}|#[0-9a-f]{3,8}|sha(?:1|256|384|512)[-:=].*|(?:md5|sha\d*|urn|uuid|did|data|blob|mailto|tel|npm|git|ssh-\w+|ecdsa-\S+)[:-].*|(?:rsa|ssh|ecdsa|hmac|aes|sha|ed|curve|diffie|chacha|aws)\d*[_-][\w-]{1,20}|AAAA[BCE]3Nza.*|MI(?:IB|GfM|IC|ID|IE)[A-Za-z0-9+/]{4}ANBgkqh.*|M(?:Fk|Hc|Fo)wE.*|[\w.+-]+@[\w-]+\.[\w.-]+|\$2[abxy]\$.*|\$argon2.*|\$[156]\$.*|pbkdf2.*|scrypt:.*|pk_(?:live|test)_.*|pk\..*)$/i;

const PATH =
  /^(?:[a-z][\w+.-]*:)?\/\/|^(?:\.{0,2}|~|[A-Za-z]:)[\\/](?![A-Za-z0-9+/]{38,}={0,2}$)|\.(?:json|ya?ml|pem|crt|key|txt|env|js|ts|py|go|rb|sh|conf|cfg|ini|toml|xml|html?|md|png|svg|css)$/i;

/** Also true for at least three parts between slashes that each contain a word. */
function isPath(value: string): boolean {
  if (PATH.test(value)) return true;
  const parts = value.split("/");
  return parts.length >= 3 && parts.length < 20 && !/[^\w@./-]/.test(value) &&
    parts.slice(1).every((part) => /[a-z]{3}/i.test(part) && wordShare(part) > 0.3);
}

function isIdentifier(value: string): boolean {
  if (!/^[A-Za-z_$][\w$.:/-]*$/.test(value)) return false;
  if (/^[A-Za-z]+(?:[_-](?:[A-Za-z]+|\d+)){2,}$/.test(value)) return true;
  return value.split(/[_.:/$-]+/).every((part) =>
    /^\d{0,4}$/.test(part) || /^[A-Za-z]{1,3}\d{0,2}$/.test(part) ||
    (wordShare(part) >= 0.6 && (part.match(/\d/g)?.length ?? 0) <= 3)
  );
}

const COMMON = new Set(
  ("pass passw password passwd passcode passphrase admin administrator root user username guest test testing tester demo " +
    "default temp qwerty letmein welcome secret hello helloworld abc asdf changeit postgres mysql mongo redis rabbit rabbitmq " +
    "minio elastic string null none true false undefined required optional value token key api foo bar baz hunter monkey " +
    "dragon super correct invalid wrong new old my the some a valid strong weak very first second bad good short long login " +
    "db app dev prod local staging word").split(" "),
);
const LONGEST_COMMON = 13;
const LONGEST_PHRASE = 40;

/** Digits and marks written for the letters they resemble. */
const LEET: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "0": "o",
  "$": "s",
  "5": "s",
  "3": "e",
  "1": "i",
};

export function isCommon(value: string): boolean {
  if (value.length > LONGEST_PHRASE) return false;
  const lower = value.toLowerCase();
  return madeOfCommon(lower) ||
    madeOfCommon(lower.replace(/[@40$531]/g, (char) => LEET[char] ?? char));
}

function madeOfCommon(value: string): boolean {
  for (let at = 0; at < value.length;) {
    const code = value.charCodeAt(at);
    if (code < 97 || code > 122) {
      at++;
      continue;
    }
    let length = Math.min(LONGEST_COMMON, value.length - at);
    while (length > 0 && !COMMON.has(value.slice(at, at + length))) length--;
    if (length === 0) return false;
    at += length;
  }
  return true;
}

interface NamedValue {
  readonly value: string;
  /** Passwords are chosen by people, keys are generated. */
  readonly as: "password" | "key";
  readonly quoted: boolean;
  readonly program: boolean;
}

export function looksSecret({ value, as, quoted, program }: NamedValue): boolean {
  if (value.length < 8 || value.length > 512) return false;
  if (!/[A-Za-z]/.test(value) || /\s|[\u0250-\uffff]/.test(value)) return false;
  if (RANGES.test(value)) return false;
  if (quoted && isKeyOfMarks(value)) return true;
  if (!quoted && (!/\d/.test(value) || EXPRESSION.test(value))) return false;
  if (!quoted && program && (value.length < 16 || STATEMENT.test(value))) return false;
  if (isReference(value) || MEANS_SOMETHING.test(value) || isPath(value)) return false;
  if (isCommon(value) || isPlaceholder(value) || soundsLikeSample(value)) return false;
  if (isIdentifier(value) || coversSample(value) || CUT_SHORT.test(value)) return false;
  const words = wordShare(value);
  const classes = classesOf(value);
  return as === "password" ? choosable(value, classes, words) : drawn(value, classes, words);
}

/** Characters that an encoder or a pattern lets through, such as `A-Za-z0-9\-._~`. */
const RANGES = /A-Z(?:a-z|0-9)|a-z(?:A-Z|0-9)|0-9(?:A-Z|a-z)/;

/** Keys of letters, digits and marks from frameworks, which the syntax filters reject. */
function isKeyOfMarks(value: string): boolean {
  return value.length >= 32 && value.length <= 128 && !/[<>{}]|\.\w+\(/.test(value) &&
    /[^\w.:/=+-].*[^\w.:/=+-].*[^\w.:/=+-]/.test(value) && entropy(value) >= 4.2 &&
    (value.match(/\d/g)?.length ?? 0) >= 3 && wordShare(value) < 0.2 &&
    !isReference(value) && !isPlaceholder(value);
}

const EXPRESSION =
  /^[a-z]\w{1,30}\.[A-Z][A-Za-z]{2,40};?$|[(){}[\]]|\w\.\w+\(|=>|&&|\|\||^[!~*]|^[A-Za-z_]+[=:]/;

/** Marks of a statement, an identifier with few digits, one in capitals, or the address of one. */
const STATEMENT =
  /[.?!;]|^[A-Za-z_$]+\d*[A-Za-z_]*\d*$|^[A-Z][A-Z\d]*(?:_[A-Z\d]{1,16})+$|^&[A-Za-z_]\w*$/;

function coversSample(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,200}={0,2}$/.test(value) || withoutEnding(value, "=").length % 4 === 1) {
    return false;
  }
  const plain = atob(withoutEnding(value, "="));
  if (!/^[\x20-\x7e]{5,}$/.test(plain)) return false;
  const last = plain.slice(plain.lastIndexOf(":") + 1);
  return isCommon(last) || isPlaceholder(plain) || soundsLikeSample(plain) ||
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

const SYNTAX = /^[\w.]+\(|[<>]|^[#.][a-z]|[|:]\w+:|\w\|\w|\[\^?[\w\\]|\{\d|\\[swdbnt]/;

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

/** A vendor's prefix with fewer characters than its tokens have: a truncated sample. */
const CUT_SHORT =
  /^(?:gh[pousr]_.{0,35}|github_pat_.{0,69}|gl(?:pat|dt|rt|ft|soat)-.{0,19}|xox[a-z]-.{0,19}|xapp-.{0,40}|[sr]k_(?:live|test)_.{0,19}|(?:AKIA|ASIA).{0,15}|AIza.{0,34}|npm_.{0,35}|pypi-.{0,50}|SG\..{0,60}|hf_.{0,33}|do[por]_v1_.{0,63}|sk-(?:ant|proj|or)-.{0,39}|shp(?:at|ca|pa|ss)_.{0,31}|eyJ[^.]*(?:\.[^.]{0,20})?)$/;
