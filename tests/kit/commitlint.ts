/** commitlint with its own conventional config, as a repo has it that lints its commits. */
import lint from "@commitlint/lint";
import load from "@commitlint/load";

const loaded = load({ extends: ["@commitlint/config-conventional"] }, {
  cwd: new URL("../..", import.meta.url).pathname,
});

/** What commitlint objects to, warnings too; nothing is let through for its first words, such as "Merge". */
export async function objectionsTo(message: string): Promise<string[]> {
  const { rules, plugins, parserPreset } = await loaded;
  const { errors, warnings } = await lint(message, rules, {
    plugins,
    parserOpts: parserPreset?.parserOpts as Record<string, unknown>,
    defaultIgnores: false,
  });
  return [...errors, ...warnings].map(({ name, message }) => `${name}: ${message}`);
}
