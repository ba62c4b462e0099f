/** Writes the page of attacks from the table that its tests are checked against. */
import { ATTACKS, PROMISES } from "tests/fault/attacks/table.ts";

const cell = (text: string) => text.replaceAll("|", "\\|");

export function attacksPage(): string {
  const rows = ATTACKS.map(({ attack, promise, proofs }) => {
    const files = Object.keys(proofs).map((file) => `\`${file.replace(/\.ts$/, "")}\``);
    return `| ${cell(attack)} | ${cell(PROMISES[promise])} | ${files.join(", ")} |`;
  });
  return [
    "# Attacks",
    "",
    "Each is made by the tests named beside it, below `tests/`; `tests/fault/attacks/table.ts` names",
    "them one by one, and a test of its own looks that they exist. `make hostile` makes them at length.",
    "",
    "| attack | promise that it tries | tests |",
    "| --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
