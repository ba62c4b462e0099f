/** Numbers of tokens as people write them: `200000`, `200k`, `1m`. */

export function tokenCount(text: string | number): number | undefined {
  const [, digits, unit = ""] = /^([1-9]\d{0,11})([km]?)$/i.exec(String(text)) ?? [];
  if (digits === undefined) return undefined;
  const count = Number(digits) * (unit === "" ? 1 : unit.toLowerCase() === "k" ? 1e3 : 1e6);
  return Number.isSafeInteger(count) ? count : undefined;
}
