/** Builds patterns of a value assigned to a name, in the many forms of configuration and code. */

const CURLY = "\u201c\u201d\u2018\u2019\u00ab\u00bb";
const QUOTE = `["'\`${CURLY}]`;

/** Blanks, line ends, and the marks of a diff or a comment before a line. */
const GAP = "[\\s+\\-#]";

/** A look-ahead matched by reference does not backtrack: a long name takes one pass. */
const NAME_REST = "(?=(?<rest>[\\w.\\-]{0,60}))\\k<rest>";

const NAME_CLOSE = `[\\\\"'\`\\]*${CURLY}]{0,4}`;

/** A type before an equals sign: `: string`, ` string`, `: &'static str`. */
const TYPE = "(?:(?::[ \\t]{0,4}&?'?|[ \\t]{1,4})[A-Za-z][\\w.<>|' ]{0,30}(?==|:=))?";

/** Signs of assignment: `=`, `:`, `=>`, `:=`, `:::=`, `||=`, `.=`, `->`, a comma, a bar of a table. */
const SIGN = "(?:\\|\\|=|\\?\\?=|[?.+]=|->|<-|[:=]{1,4}>?|,|(?<=[ \\t`*])\\|)";

/** A separate field for the value: `name: X` then `value: Y`, `<key>X</key><string>Y`. */
const FIELD = `(?:</[\\w:]{1,20}>|/?>|[,;{\\\\"'\`:<]|slotSetting|false|true|${GAP}){0,60}` +
  "(?:[Vv]alue|VALUE|[Dd]efault(?:_?[Vv]alue)?|[Ss]tring(?:[Vv]alue)?|[Cc]ontent|[Dd]ata)" +
  "[\\\\\"'`]{0,2}[ \\t]{0,8}(?:=>|[:=>(])";

/** Terraform's `variable "x" { type = string, default = "Y" }`: settings, then the default. */
const SETTINGS =
  '"?[ \\t]{0,4}\\{[ \\t]{0,4}\\r?\\n(?:[ \\t+\\-]{0,12}[a-z_]{2,20}[ \\t]{0,12}=[^\\n]{0,80}\\n){0,4}[ \\t+\\-]{0,12}default[ \\t]{0,12}=';

/** The head of a YAML block scalar: the value is on the next line. */
const BLOCK = `(?:[|>][+\\-]?\\d?[ \\t]{0,4}\\r?\\n${GAP}{0,40})?`;

/** A section named after the vendor: `heroku: { api_key: Y }`, `[heroku]`. */
const SECTION =
  `(?:${NAME_CLOSE}[ \\t]{0,4}[:=][ \\t]{0,4}\\{?|\\])\\s{0,40}[+\\-]?[ \\t]{0,20}["']?[\\w\\-]{0,24}` +
  `(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Aa]uth|AUTH)[\\w\\-]{0,12}["']?[ \\t]{0,8}[:=]`;

const LOOSELY =
  `${NAME_REST}(?: [A-Za-z]{2,12}){0,3}>?${NAME_CLOSE}>?(?:[ \\t]{0,20}${TYPE}[ \\t]{0,8}(?:${SIGN}|\\(|(?:is|eq)\\b)|${SETTINGS}|${SECTION}|${FIELD}|` +
  `(?=[ \\t])|(?<=>))[\\s+]{0,40}(?:Bearer |Basic |Token )?${BLOCK}` +
  `(?:[a-zA-Z@$]{1,2}(?=["'\`]))?(?:<!\\[CDATA\\[|[\\\\(\\[{*]|${QUOTE}){0,5}`;

/** Every repetition is bounded, so one try takes some hundred steps at most. */
export function assigned(name: string, value: string): RegExp {
  return new RegExp(`(?:${name})${LOOSELY}(?<secret>${value})(?![\\w+/])`, "i");
}

/** A line end after the sign; the marks of a diff, a comment or a concatenation may follow. */
const NEXT_LINE = "(?:\\\\?\\r?\\n[\\s+\\-#*/.]{0,40})?";

const STRICTLY =
  `${NAME_REST}(?: [Kk]ey| [Tt]oken)?(?:${NAME_CLOSE}[ \\t]{0,20}${TYPE}[ \\t]{0,8}${SIGN}|` +
  `\\(|${NAME_CLOSE}(?:${SETTINGS}|${FIELD}|>| (?:is|was)\\b:?)|(?<=--[\\w\\-]{1,60})(?=[ \\t])|(?<=\\$\\w{1,60})(?=[ \\t]{1,4}["']))[ \\t]{0,40}`;

/** A call around the value, and the prefix of a string: `Secret(b"`, `new Key('`. */
const WRAPPED =
  "(?:(?:new |await )?[A-Za-z_][\\w.:]{0,40}\\()?[\\[({]{0,2}(?:[a-zA-Z@$]{1,2}(?=[\"'`]))?";

/** Bare values that are no run of token characters are cut at 100: a try takes time by length. */
const ANY_VALUE = `(?:${NEXT_LINE}${WRAPPED}(?:"?\\\\"(?<escaped>[^"\\\\\\n]{6,400})\\\\"|` +
  `"(?:"")?(?<double>[^"\\n]{6,400})"|'(?:'')?(?<single>[^'\\n]{6,400})'|\`(?<tick>[^\`\\n]{6,400})\`|` +
  `[${CURLY}](?<curly>[^${CURLY}\\n]{6,400})[${CURLY}])|` +
  "(?:<!\\[CDATA\\[|(?<=>)\\s{0,20})(?<tag>[^<>\\s\\]]{6,400})(?=\\s{0,20}</|\\]\\]>)|" +
  `${BLOCK}(?<!>)(?:(?<drawn>[\\w+/\\-]{6,400}={0,2})(?![^\\s"'\`<>,;\\\\])|(?<bare>[^\\s"'\`<>,;${CURLY}]{6,100})))`;

export function assignedAny(name: string): RegExp {
  return new RegExp(`(?:${name})${STRICTLY}${ANY_VALUE}`);
}
