/**
 * Files the keywords of all rules under their rarest trigrams: what `keywords.gen.ts` holds, since svc would
 * need some 20 ms for that in each process that looks for secrets.
 */
import { type Alignment, FIRST_CHAR } from "svc/features/guardrails/base64_once.ts";
import type { KeywordTable } from "svc/features/guardrails/prefilter.ts";
import { leadOf, type RuleSet, ruleSet } from "svc/features/guardrails/scan_text.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import type { SecretRule } from "svc/features/guardrails/secret_rules/rule.ts";
import { templateText } from "tools/template_text.ts";

/** ASCII, at least three characters. With a capital it matches only as written. */
interface Keyword {
  readonly text: string;
  readonly exact?: boolean;
  readonly leadsTo: number;
}

/**
 * Trigrams of our keywords, those first that are most frequent in source text (600 MB of npm packages, in
 * small letters; the last is one in 10,000).
 */
const COMMON =
  "iontioconproonsingtheent = atiresstrperatenstoperoptriertstaretortturfortypypeterpar" +
  "urnctidatameed reaexpodeis.estnam---ersdefsertorverromnte prrtiextintgetluenceinende" +
  "er comptiessrceageuncxpoallalimatramandmenbleinsultormtedendchetatoptfroablerafinuse" +
  "onttespreacksetsiocalataancet metonfasspaterecesawsistacefigrectanlicoutappten.coith" +
  "areclonewtchntikeylinnodileeveathencin ecoasefiliteespdescodeattexcretraoneactnererv" +
  "letmesberwitimeizehanticlounotlenmapte oudidaargtemclaredtimudfspoefaounrayachrraaul" +
  "stefauatoicenaletaliserieteleachaeleuntattodutrectoiveapilasatcssi enherngtartvensul" +
  "stocor://t aarsuraplalesmispacmaniguplisseer.depdocranityhatputct.ustdinmpliniiseen " +
  "ntrgenordureloaenascodecnneains.cntataguctgintholballbpenoolrowndisonworadodisacccke" +
  "mernitcanritarnlleposopsstilocspatrytpsracribsecfacpplpagautethmitignhrocur.stommcac" +
  "ensdexeanollailrgele:harhempribasastlowinfce.oveelsoincouanyfalmin lolarnexsagffeatu" +
  "orindllitttrokebooiennfoic edeosts.sgrologsentteinalieccetabketockkinkenpinlt orkssa" +
  "graocsregunkcliseesigsesear acincroladaediets keuffroctokonctaceclrnaonarnsecaoceazo" +
  "wilvicuthtifetcnspanteamnt.hodpolannshataitustom_paighwebtilondne sidepld =payettnec" +
  "anaelicennatshotalolioseergon:gerookllochiercampdevtadili_rehinghtrvioryficimibintst" +
  "uriimaomecs.ecuwrihunnesmaxenvrteoterapodygitmaidittoclacscalibws.nowtasierreeowseck" +
  "rivegicusnetvatrstosiaryiginellobiscinkermani_deccoictivaash-reifyxprnapstsvelushcap" +
  "aleorafloesiquarelipeomacerer-udetprarclayewaynarypakercoongkerpuseroelaoffbilglotot" +
  "elomontpapashosoniblogmet lrallabiatndast.hornagon_ttyer_ubserpthuon-usimarey eysari" +
  "morhooflapedraguckronlimrchsumaveedaexey =splbucwayhubetotep-pr";
/** A capital makes a trigram rarer by about as much as this many places. */
const CAPITAL_PLACES = 300;

function placesOf(trigrams: string): Map<string, number> {
  const places = new Map<string, number>();
  for (let at = 0; at < trigrams.length; at += 3) places.set(trigrams.slice(at, at + 3), at / 3);
  return places;
}

const PLACES = placesOf(COMMON);

/** Offset of the rarest trigram of a keyword in ASCII. */
function anchorOf(text: string): number {
  if (!/^[ -~]{3,}$/.test(text)) {
    throw new RangeError(`Keyword "${text}" is no three or more printable characters of ASCII`);
  }
  let anchor = 0;
  let rarest = -1;
  for (let at = 0; at + 3 <= text.length; at++) {
    const trigram = text.slice(at, at + 3);
    const capitals = trigram.match(/[A-Z]/g)?.length ?? 0;
    const place = PLACES.get(trigram.toLowerCase()) ?? PLACES.size;
    const rarity = place + CAPITAL_PLACES * capitals;
    if (rarity <= rarest) continue;
    rarest = rarity;
    anchor = at;
  }
  return anchor;
}

/** Finds them in their order. */
export function filed(keywords: readonly Keyword[]): KeywordTable {
  return {
    text: keywords.map(({ text }) => `${text}\n`).join(""),
    exact: keywords.map(({ text, exact }) => exact === true || /[A-Z]/.test(text) ? 1 : 0),
    anchors: keywords.map(({ text }) => anchorOf(text)),
    leads: keywords.map(({ leadsTo }) => leadsTo),
  };
}

/** Shorter pieces of base64 are too frequent in ordinary text. */
const MIN_PIECE = 4;
const ZEROS = ["", "\0", "\0\0"] as const;

/** The base64 of `keyword` at each alignment, without the characters that its neighbours change. */
export function encodedForms(keyword: string): { piece: string; alignment: Alignment }[] {
  const forms: { piece: string; alignment: Alignment }[] = [];
  for (const alignment of [0, 1, 2] as const) {
    const whole = btoa(ZEROS[alignment] + keyword);
    const end = Math.floor((alignment + keyword.length) * 8 / 6);
    const piece = whole.slice(FIRST_CHAR[alignment], end);
    if (piece.length >= MIN_PIECE) forms.push({ piece, alignment });
  }
  return forms;
}

/** As Windows writes ASCII in UTF-16, which PowerShell's `-EncodedCommand` has under base64. */
function wide(keyword: string): string {
  return [...keyword].map((char) => `${char}\0`).join("");
}

/** Base64 of the head of a gzip with deflate (RFC 1952 section 2.3.1), whose groups begin with it. */
const GZIP_HEAD = "H4sI";

/** Words that reveal a configuration file or a login under base64. */
const WORTH_DECODING = [
  "password",
  "PASSWORD",
  "Password",
  "secret",
  "SECRET",
  "token",
  "TOKEN",
  "api_key",
  "API_KEY",
  "apiKey",
  "postgres://",
  "postgresql://",
  "mysql://",
  "mongodb",
  "redis://",
  "amqp://",
  "-----BEGIN ",
  "PRIVATE KEY-----",
  "Authorization",
];

/** The keywords of `rules`, and what those of which the value alone tells look like under base64. */
export function keywordsOf(rules: readonly SecretRule[]): KeywordTable {
  const keywords: Keyword[] = rules.flatMap((rule, order) =>
    rule.keywords.map((text) => ({ text, leadsTo: order }))
  );
  const encoded = new Set([
    ...rules.filter((rule) => rule.kind === "structured").flatMap((rule) => rule.keywords)
      .filter((keyword) => keyword.length >= 3),
    ...WORTH_DECODING,
  ]);
  for (const keyword of [...encoded, ...WORTH_DECODING.map(wide)]) {
    for (const { piece, alignment } of encodedForms(keyword)) {
      keywords.push({ text: piece, exact: true, leadsTo: leadOf(alignment, rules) });
    }
  }
  keywords.push({ text: GZIP_HEAD, exact: true, leadsTo: leadOf(0, rules) });
  return filed(keywords);
}

/** Any rules; svc itself has `allRules`. */
export function compileRules(rules: readonly SecretRule[]): RuleSet {
  return ruleSet(rules, keywordsOf(rules));
}

/** The module `keywords.gen.ts`. A function, since what it returns is not needed for long. */
export function keywordsModule(): string {
  const { text, ...numbers } = keywordsOf(secretRules());
  const columns = JSON.stringify(numbers).replaceAll("],", "],\n");
  return [
    "// Generated by `deno task gen` from src/features/guardrails/secret_rules; do not edit.",
    'import type { KeywordTable } from "./prefilter.ts";',
    "",
    `const TEXT = ${templateText(text)};`,
    "",
    `export const keywordTable = (): KeywordTable => ({ text: TEXT, ...JSON.parse(\`${columns}\`) });`,
    "",
  ].join("\n");
}
