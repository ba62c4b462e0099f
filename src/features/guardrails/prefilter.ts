/** Finds all keywords of all rules in one pass over the bytes; most files need no further scan. */

export interface Keyword<T> {
  /** ASCII, at least three characters. With a capital it matches only as written. */
  readonly text: string;
  readonly exact?: boolean;
  readonly leadsTo: T;
}

interface KeywordEntry<T> {
  readonly at: number;
  readonly length: number;
  readonly exact: boolean;
  /** Offset in the keyword of the trigram it is filed under. */
  readonly anchor: number;
  readonly leadsTo: T[];
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

/** Seven bits a character: other bytes count as the character that their last seven bits mean. */
const TRIGRAMS = 1 << 21;

const LOWER = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte >= 65 && byte <= 90 ? byte + 32 : byte,
);

const trigramAt = (bytes: Uint8Array, at: number) =>
  (bytes[at]! << 14) | (bytes[at + 1]! << 7) | bytes[at + 2]!;

function placesOf(trigrams: string): Map<number, number> {
  const bytes = new TextEncoder().encode(trigrams);
  const places = new Map<number, number>();
  for (let at = 0; at < bytes.length; at += 3) places.set(trigramAt(bytes, at), at / 3);
  return places;
}

/** Offset of the rarest trigram of a keyword in ASCII. */
function anchorOf(text: string, places: ReadonlyMap<number, number>): number {
  if (text.length < 3) throw new RangeError(`Keyword "${text}" is shorter than 3 characters`);
  let anchor = 0;
  let rarest = -1;
  let trigram = 0;
  let capitals = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const low = LOWER[code]!;
    trigram = ((trigram << 7) | low) & (TRIGRAMS - 1);
    capitals = ((capitals << 1) | Number(low !== code)) & 7;
    if (i < 2) continue;
    const place = places.get(trigram) ?? places.size;
    const rarity = place +
      CAPITAL_PLACES * ((capitals & 1) + (capitals >> 1 & 1) + (capitals >> 2));
    if (rarity <= rarest) continue;
    rarest = rarity;
    anchor = i - 2;
  }
  return anchor;
}

/** The trigram at `anchor` as written, or in each way of small letters and capitals. */
function trigramsOf(text: string, anchor: number, exact: boolean): number[] {
  let trigrams = [0];
  for (let i = anchor; i < anchor + 3; i++) {
    const code = text.charCodeAt(i);
    const other = !exact && code >= 97 && code <= 122 ? code - 32 : code;
    const ways = trigrams.map((trigram) => (trigram << 7) | code);
    if (other !== code) ways.push(...trigrams.map((trigram) => (trigram << 7) | other));
    trigrams = ways;
  }
  return trigrams;
}

export class Prefilter<T> {
  readonly #filed = new Map<number, KeywordEntry<T>[]>();
  /** All keywords in sequence; an array for each would take ten times the memory. */
  readonly #text: Uint8Array;
  /** 1 for each trigram of `#filed`; only the pages that are touched take memory. */
  readonly #table = new Uint8Array(TRIGRAMS);

  constructor(keywords: Iterable<Keyword<T>>) {
    const entries = new Map<string, KeywordEntry<T>>();
    const places = placesOf(COMMON);
    let all = "";
    for (const { text, exact: asked, leadsTo } of keywords) {
      const exact = asked === true || /[A-Z]/.test(text);
      const known = entries.get(`${exact}${text}`);
      if (known !== undefined) {
        known.leadsTo.push(leadsTo);
        continue;
      }
      const anchor = anchorOf(text, places);
      const entry = { at: all.length, length: text.length, exact, anchor, leadsTo: [leadsTo] };
      entries.set(`${exact}${text}`, entry);
      for (const trigram of trigramsOf(text, anchor, exact)) this.#file(trigram, entry);
      all += text;
    }
    this.#text = new TextEncoder().encode(all);
  }

  #file(trigram: number, entry: KeywordEntry<T>): void {
    const filed = this.#filed.get(trigram);
    if (filed !== undefined) filed.push(entry);
    else this.#filed.set(trigram, [entry]);
    this.#table[trigram] = 1;
  }

  /** Calls `found` for each keyword in `bytes`, ordered by the positions of the trigrams. */
  scan(bytes: Uint8Array, found: (start: number, leadsTo: readonly T[]) => void): void {
    const table = this.#table;
    const length = bytes.length;
    let trigram = 0;
    for (let i = 0; i < length; i++) {
      trigram = ((trigram << 7) | (bytes[i]! & 127)) & (TRIGRAMS - 1);
      if (table[trigram] !== 0) this.#look(bytes, i - 2, this.#filed.get(trigram)!, found);
    }
  }

  #look(
    bytes: Uint8Array,
    at: number,
    entries: readonly KeywordEntry<T>[],
    found: (start: number, leadsTo: readonly T[]) => void,
  ): void {
    const text = this.#text;
    for (let e = 0; e < entries.length; e++) {
      const { at: own, length, exact, anchor, leadsTo } = entries[e]!;
      const start = at - anchor;
      if (start < 0 || start + length > bytes.length) continue;
      let k = 0;
      if (exact) {
        while (k < length && bytes[start + k] === text[own + k]) k++;
      } else {
        while (k < length && LOWER[bytes[start + k]!] === text[own + k]) k++;
      }
      if (k === length) found(start, leadsTo);
    }
  }
}
