/** Numbers, times and names as text, the same on every page. Pure. */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `8 s`, `4 min`, `3 h 12 min`, `2 d 4 h`; two parts at most. */
export function span(secs: number): string {
  const whole = Math.max(0, Math.round(secs));
  if (whole < MINUTE) return `${whole} s`;
  if (whole < 10 * MINUTE && whole % MINUTE > 0) {
    return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  }
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`;
  const [big, unit, small, part] = whole < DAY
    ? [HOUR, "h", MINUTE, "min"] as const
    : [DAY, "d", HOUR, "h"] as const;
  const rest = Math.floor(whole % big / small);
  return `${Math.floor(whole / big)} ${unit}${rest > 0 ? ` ${rest} ${part}` : ""}`;
}

/** How long ago or how far ahead, in one part: `now`, `40 s ago`, `3 h ago`, `in 12 min`. */
export function ago(time: number, now: number): string {
  const secs = Math.round((now - time) / 1000);
  const far = Math.abs(secs);
  if (far < 2) return "now";
  const said = far < MINUTE
    ? `${far} s`
    : far < HOUR
    ? `${Math.floor(far / MINUTE)} min`
    : far < DAY
    ? `${Math.floor(far / HOUR)} h`
    : `${Math.floor(far / DAY)} d`;
  return secs >= 0 ? `${said} ago` : `in ${said}`;
}

const exactly = new Intl.DateTimeFormat(undefined, {
  dateStyle: "medium",
  timeStyle: "long",
  hourCycle: "h23",
});
const shortly = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

const dated = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export const exact = (time: number): string => exactly.format(time);

/** `14:03:12`; with its day, `27 Nov, 14:03:12`, where that is another one than that of `now`. */
export function clockTime(time: number, now: number): string {
  const [day, today] = [new Date(time), new Date(now)].map((date) => date.toDateString());
  return day === today ? shortly.format(time) : `${dated.format(time)}, ${shortly.format(time)}`;
}

/** `950`, `31 k`, `1.2 M`. */
export function amount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 10_000) return `${(count / 1_000).toFixed(1)} k`;
  if (count < 999_500) return `${Math.round(count / 1_000)} k`;
  return `${(count / 1_000_000).toFixed(1)} M`;
}

interface Cost {
  readonly cost_basis: string | null;
  readonly cost_usd: number | null;
  readonly cost_unknown?: number;
}

/** `$0.12`, `<$0.01`, `$1.20 and 2 unknown`, `no price (local)`, `fixture`, `unknown`; as the command line says it. */
export function cost({ cost_basis, cost_usd, cost_unknown = 0 }: Cost): string {
  if (cost_basis === null) return "–";
  if (cost_basis === "local") return "no price (local)";
  if (cost_basis !== "price" || cost_usd === null) return cost_basis;
  const dollars = cost_usd > 0 && cost_usd < 0.01 ? "<$0.01" : `$${cost_usd.toFixed(2)}`;
  return cost_unknown === 0 ? dollars : `${dollars} and ${cost_unknown} unknown`;
}

interface UsedTokens {
  readonly tokens_local: number;
  readonly tokens_unknown: number;
}

/** `$1.20`, `$1.20, and 40 k tokens without a price`, `no price (local)`, `no price known`; as `svc costs` says it. */
export function spent(used: Cost & UsedTokens): string {
  const { cost_basis: basis, tokens_local, tokens_unknown } = used;
  if (basis === "local") return "no price (local)";
  if (basis === "unknown") return "no price known";
  const { cost_unknown: _, ...known } = used;
  const rest = tokens_local + tokens_unknown;
  return basis === "price" && rest > 0
    ? `${cost(known)}, and ${amount(rest)} tokens without a price`
    : cost(known);
}

const shortDay = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** `Nov 23` for `2026-11-23`, a day in UTC, wherever the browser is. */
export const dayName = (day: string): string => shortDay.format(Date.parse(`${day}T00:00:00Z`));

export const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** `1 job`, `3 jobs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export const spoken = (name: string): string => name.replaceAll("_", " ");

/** The end of an id: ids of the same hour share their beginning. */
export const shortId = (id: string): string => id.length > 12 ? id.slice(-8) : id;

export const shortCommit = (text: string): string =>
  /^[0-9a-f]{40}$/.test(text) ? text.slice(0, 12) : text;

export function matches(query: string, ...texts: readonly (string | null | undefined)[]): boolean {
  const all = texts.join("\n").toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}
