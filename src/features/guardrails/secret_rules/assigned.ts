/** Builds the pattern of a value assigned to a name, in the ways configuration and code write it. */

/** Typographic quotes, as an editor or a chat leaves them around a value. */
const CURLY = "\u201c\u201d\u2018\u2019\u00ab\u00bb";
const QUOTE = `["'\`${CURLY}]`;

/** Blanks, line ends and the marks a diff or a comment puts before a line. */
const GAP = "[\\s+\\-#]";

/**
 * The rest of the name, taken whole: a look-ahead that is then matched by reference gives nothing
 * back, so a long run of name characters costs one pass and no second try.
 */
const NAME_REST = "(?=(?<rest>[\\w.\\-]{0,60}))\\k<rest>";

/** Whatever closes the name: `"]`, `**`, a typographic quote. */
const NAME_CLOSE = `[\\\\"'\`\\]*${CURLY}]{0,4}`;

/** `: string`, ` string`, `: &'static str`, when an equals sign follows. */
const TYPE = "(?:(?::[ \\t]{0,4}&?'?|[ \\t]{1,4})[A-Za-z][\\w.<>|' ]{0,30}(?==|:=))?";

/** `=`, `:`, `=>`, `:=`, `||=`, `->`, a comma between arguments or columns, a bar of a table. */
const SIGN = "(?:\\|\\|=|\\?\\?=|\\?=|->|<-|[:=]{1,3}>?|,|(?<=[ \\t`*])\\|)";

/** The value is in a field of its own: `name: X` then `value: Y`, `<key>X</key><string>Y`. */
const FIELD = `(?:</[\\w:]{1,20}>|/?>|[,;{\\\\"'\`:<]|slotSetting|false|true|${GAP}){0,60}` +
  "(?:[Vv]alue|VALUE|[Dd]efault(?:_?[Vv]alue)?|[Ss]tring(?:[Vv]alue)?|[Cc]ontent|[Dd]ata)" +
  "[\\\\\"'`]{0,2}[ \\t]{0,8}(?:=>|[:=>(])";

/** `variable "x" { type = string, default = "Y" }` of Terraform: some settings, then the default. */
const SETTINGS =
  '"?[ \\t]{0,4}\\{[ \\t]{0,4}\\r?\\n(?:[ \\t+\\-]{0,12}[a-z_]{2,20}[ \\t]{0,12}=[^\\n]{0,80}\\n){0,4}[ \\t+\\-]{0,12}default[ \\t]{0,12}=';

/** The head of a YAML block scalar: the value is on the next line. */
const BLOCK = `(?:[|>][+\\-]?\\d?[ \\t]{0,4}\\r?\\n${GAP}{0,40})?`;

/** The vendor is a section, and a key of it holds the value: `heroku: { api_key: Y }`, `[heroku]`. */
const SECTION =
  `(?:${NAME_CLOSE}[ \\t]{0,4}[:=][ \\t]{0,4}\\{?|\\])\\s{0,40}[+\\-]?[ \\t]{0,20}["']?[\\w\\-]{0,24}` +
  `(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Aa]uth|AUTH)[\\w\\-]{0,12}["']?[ \\t]{0,8}[:=]`;

/** What may stand between a vendor's name and a value of known shape: nearly anything short. */
const LOOSELY =
  `${NAME_REST}(?: [A-Za-z]{2,12}){0,3}>?${NAME_CLOSE}>?(?:[ \\t]{0,20}${TYPE}[ \\t]{0,8}(?:${SIGN}|\\(|(?:is|eq)\\b)|${SETTINGS}|${SECTION}|${FIELD}|` +
  `(?=[ \\t])|(?<=>))[\\s+]{0,40}(?:Bearer |Basic |Token )?${BLOCK}` +
  `(?:[a-zA-Z@$]{1,2}(?=["'\`]))?(?:<!\\[CDATA\\[|[\\\\(\\[{*]|${QUOTE}){0,5}`;

/**
 * A pattern that begins at `name` and whose group `secret` holds `value`. Every repetition is
 * bounded, so one try costs some hundred steps whatever follows.
 */
export function assigned(name: string, value: string): RegExp {
  return new RegExp(`(?:${name})${LOOSELY}(?<secret>${value})(?![\\w+/])`, "i");
}

/** A line end after the sign; the marks of a diff, a comment or a concatenation may follow. */
const NEXT_LINE = "(?:\\\\?\\r?\\n[\\s+\\-#*/.]{0,40})?";

/** What may stand between a telling name and a value of any shape: a sign that assigns, no prose. */
const STRICTLY =
  `${NAME_REST}(?: [Kk]ey| [Tt]oken)?(?:${NAME_CLOSE}[ \\t]{0,20}${TYPE}[ \\t]{0,8}${SIGN}|` +
  `\\(|${NAME_CLOSE}(?:${SETTINGS}|${FIELD}|>| (?:is|was)\\b:?)|(?<=--[\\w\\-]{1,60})(?=[ \\t])|(?<=\\$\\w{1,60})(?=[ \\t]{1,4}["']))[ \\t]{0,40}`;

/** A call around the value and the letter before a string: `Secret(b"`, `new Key('`. */
const WRAPPED =
  "(?:(?:new |await )?[A-Za-z_][\\w.:]{0,40}\\()?[\\[({]{0,2}(?:[a-zA-Z@$]{1,2}(?=[\"'`]))?";

/**
 * A value in quotes of any kind, between tags, or bare up to a blank or a sign of the syntax. A bare
 * one that is no single run of token characters is cut at 100: each try costs its length.
 */
const ANY_VALUE = `(?:${NEXT_LINE}${WRAPPED}(?:"?\\\\"(?<escaped>[^"\\\\\\n]{6,400})\\\\"|` +
  `"(?:"")?(?<double>[^"\\n]{6,400})"|'(?:'')?(?<single>[^'\\n]{6,400})'|\`(?<tick>[^\`\\n]{6,400})\`|` +
  `[${CURLY}](?<curly>[^${CURLY}\\n]{6,400})[${CURLY}])|` +
  "(?:<!\\[CDATA\\[|(?<=>)\\s{0,20})(?<tag>[^<>\\s\\]]{6,400})(?=</|\\]\\]>)|" +
  `${BLOCK}(?<!>)(?:(?<drawn>[\\w+/\\-]{6,400}={0,2})(?![^\\s"'\`<>,;\\\\])|(?<bare>[^\\s"'\`<>,;${CURLY}]{6,100})))`;

/** A pattern that begins at `name` and whose groups hold any value assigned to it. */
export function assignedAny(name: string): RegExp {
  return new RegExp(`(?:${name})${STRICTLY}${ANY_VALUE}`);
}
