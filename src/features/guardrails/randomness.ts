/** Measures how random a text is: entropy, runs, and its share of words. */

/** Letter pairs of English: row = first letter, 5 = as by chance, one step = factor 2. */
const PAIRS = "25652350413767050767433342" + "64447402661721630553700040" +
  "62427206506610810547400030" + "63358332712522640452521030" + "63664531210557243776143530" +
  "74346600800502700634600040" + "62218155700536530654611031" + "71108002701232610536501050" +
  "43655450002558740466040204" + "62318114413213641372542211" + "62338333701435430363402041" +
  "72248220711611620155531060" + "75128020710362670150510020" + "61676471513324540177430030" +
  "34561330414568550755644110" + "70137013500621750756600020" + "01212200411502211210811201" +
  "72448340603344720556431040" + "50527205603342650268521040" + "60317207700321650655402060" +
  "45646440501667150767000000" + "80108030700112600121200010" + "72127127802416600662004000" +
  "61626313600230280228100430" + "53435321512556680465334222" + "71128123613333710230402145";

const counts = new Uint16Array(128);

/** Shannon entropy of `text` in bits per character; all characters beyond ASCII count as one. */
export function entropy(text: string): number {
  counts.fill(0);
  const length = Math.min(text.length, 0xffff);
  for (let i = 0; i < length; i++) counts[Math.min(text.charCodeAt(i), 127)]!++;
  let bits = 0;
  for (const count of counts) {
    if (count > 0) bits -= count * Math.log2(count / length);
  }
  return bits / (length || 1);
}

/** Whether the letter pairs of a run are, on average, nearly as frequent as chance or more so. */
function spelledLikeWords(run: string): boolean {
  let sum = 0;
  const lower = run.toLowerCase();
  for (let i = 1; i < lower.length; i++) {
    sum += PAIRS.charCodeAt((lower.charCodeAt(i - 1) - 97) * 26 + lower.charCodeAt(i) - 97) - 53;
  }
  return sum / (lower.length - 1) > -0.2;
}

/** Share, 0 to 1, of the letters and digits that are in words of at least four letters. */
export function wordShare(text: string): number {
  let inWords = 0;
  for (const [run] of text.matchAll(/[A-Z]?[a-z]{3,}|[A-Z]{4,}/g)) {
    if (run.length >= 4 && spelledLikeWords(run)) inWords += run.length;
  }
  const all = text.match(/[A-Za-z0-9]/g)?.length ?? 0;
  return all === 0 ? 0 : inWords / all;
}

/** The longest run of equal, rising or falling neighbours: "aaaa", "1234" and "dcba" give 4. */
export function longestRun(text: string): number {
  let best = 1;
  let length = 1;
  let lastStep = 2;
  for (let i = 1; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    length = Math.abs(step) <= 1 ? (step === lastStep ? length + 1 : 2) : 1;
    lastStep = step;
    if (length > best) best = length;
  }
  return best;
}

/** Classes: lower case, upper case, digits, other printable characters. */
export function classesOf(text: string): number {
  return Number(/[a-z]/.test(text)) + Number(/[A-Z]/.test(text)) + Number(/\d/.test(text)) +
    Number(/[^A-Za-z0-9\s]/.test(text));
}

const REPEATS_CHARS = 128;

/** Whether `text` is one block of at most a third of its length, repeated. */
export function repeats(text: string): boolean {
  if (text.length > REPEATS_CHARS) return false;
  for (let period = 1; period <= text.length / 3; period++) {
    let i = period;
    while (i < text.length && text.charCodeAt(i) === text.charCodeAt(i - period)) i++;
    if (i === text.length) return true;
  }
  return false;
}

/** One in thirty random tokens of 20 letters and digits has no digit. */
export function looksDrawn(text: string): boolean {
  if (/\d/.test(text)) return true;
  return /[a-z]/.test(text) && /[A-Z]/.test(text.slice(1)) && wordShare(text) < 0.5;
}

/** Excludes hex digests and words in one case. */
export function drawnInBothCases(text: string): boolean {
  return /[a-z]/.test(text) && /[A-Z]/.test(text) && looksDrawn(text);
}
