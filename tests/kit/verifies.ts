/** Registers a test together with the promises of the specification that it proves. */
import { type RequirementId, REQUIREMENTS } from "tests/contract/requirements.ts";

type TestFn = Deno.TestDefinition["fn"];
type TestOptions = Omit<Deno.TestDefinition, "name" | "fn">;

const KNOWN: ReadonlySet<string> = new Set(REQUIREMENTS.map(({ id }) => id));

/**
 * Registers `fn` as the test `name [ids]`. The ids are written as literals, since the gate reads them
 * from the source text; a literal `ignore: true` proves nothing.
 *
 * @throws {Error} At registration, when an id is in no requirement or none is given.
 */
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  fn: TestFn,
): void;
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  options: TestOptions,
  fn: TestFn,
): void;
export function verifies(
  ids: RequirementId | readonly RequirementId[],
  name: string,
  ...rest: [TestFn] | [TestOptions, TestFn]
): void {
  const cited = [ids].flat();
  if (cited.length === 0) throw new Error(`Cannot register "${name}": it cites no requirement`);
  const unknown = cited.find((id) => !KNOWN.has(id));
  if (unknown !== undefined) {
    throw new Error(
      `Cannot register "${name}": "${unknown}" is no id of tests/contract/requirements`,
    );
  }
  const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest;
  Deno.test({ ...options, name: `${name} [${cited.join(", ")}]`, fn });
}
