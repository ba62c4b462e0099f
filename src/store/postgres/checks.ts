/** Turns the CHECKs of a table that is written often into a trigger, which a connection reads once. */
import { Failure } from "svc/core/failure.ts";

/**
 * A CHECK is read and planned anew for each statement (ExecRelCheck in execMain.c of PostgreSQL): the 43 of
 * a job took 0.3 of 0.5 ms of each write.
 */
export const CHECKED_BY_TRIGGER: ReadonlySet<string> = new Set(["jobs"]);

const COLUMN = /^ *(\w+) (?:TEXT|BIGINT|DOUBLE PRECISION)\b/;

/** Index of the parenthesis that closes the one at `open`; texts in quotes count for nothing. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "'") at = text.indexOf("'", at + 1);
    if (text[at] === "(") depth++;
    if (text[at] === ")" && --depth === 0) return at;
  }
  throw new Failure("internal", `Cannot translate a CHECK: it is not closed: ${text.slice(open)}`);
}

function ofNewRow(condition: string, columns: readonly string[]): string {
  const name = new RegExp(`\\b(?:${columns.join("|")})\\b`, "g");
  return condition.split(/('[^']*')/)
    .map((part) => part.startsWith("'") ? part : part.replaceAll(name, "NEW.$&")).join("");
}

const said = (condition: string) => condition.replaceAll(/\s+/g, " ");

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** @param text of a CREATE TABLE in PostgreSQL's words */
export function checksAsTrigger(table: string, text: string): string[] {
  const columns = text.split("\n").flatMap((line) => COLUMN.exec(line)?.[1] ?? []);
  const conditions: string[] = [];
  let rest = text;
  for (let at; (at = rest.search(/\bCHECK \(/)) >= 0;) {
    const end = closing(rest, at + "CHECK ".length);
    conditions.push(rest.slice(at + "CHECK (".length, end));
    rest = rest.slice(0, at) + rest.slice(end + 1);
  }
  // What was a line of its own leaves a comma.
  rest = rest.replaceAll(/,(?:\s*,)+/g, ",").replace(/,\s*\)$/, "\n)");
  // As a CHECK, a condition that is neither true nor false holds.
  const tests = conditions.map((condition) => [`(${ofNewRow(condition, columns)})`, condition]);
  const refusals = tests.map(([test, condition]) =>
    `IF ${test} IS FALSE THEN
    RAISE check_violation USING MESSAGE = ${
      quoted(`new row for relation "${table}" violates check constraint "${said(condition!)}"`)
    };
  END IF;`
  );
  return [
    rest,
    `CREATE OR REPLACE FUNCTION ${table}_checked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF (${tests.map(([test]) => test).join(" AND ")}) IS NOT FALSE THEN RETURN NEW; END IF;
  ${refusals.join("\n  ")}
  RETURN NEW; END $$`,
    `CREATE TRIGGER ${table}_checked BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW
  EXECUTE FUNCTION ${table}_checked()`,
  ];
}
