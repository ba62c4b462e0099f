/** The six files a planted secret stands in: env, YAML, JSON, TypeScript, Markdown and a diff. */
import type { Dice } from "./secret_dice.ts";

export interface Planted {
  readonly path: string;
  readonly text: string;
}

type Context = (dice: Dice, name: string, value: string) => Planted;

/** `DB_PASSWORD` and `dbPassword` as `db_password`, `DB_PASSWORD` or `dbPassword`. */
export function cased(name: string, style: "snake" | "upper" | "camel"): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().split(/[_-]+/);
  if (style === "snake") return words.join("_");
  if (style === "upper") return words.join("_").toUpperCase();
  return words.map((word, i) => i === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)).join(
    "",
  );
}

const port = (dice: Dice) => 3000 + dice.int(5000);

const env: Context = (dice, name, value) => ({
  path: dice.one([".env", ".env.production", "deploy/app.env"]),
  text: [
    `# ${dice.words(4)}`,
    `NODE_ENV=production`,
    `PORT=${port(dice)}`,
    dice.one([
      `${cased(name, "upper")}=${value}`,
      `${cased(name, "upper")}="${value}"`,
      `export ${cased(name, "upper")}='${value}'`,
    ]),
    `LOG_LEVEL=${dice.word()}`,
    "",
  ].join("\n"),
});

const yaml: Context = (dice, name, value) => ({
  path: dice.one(["config/app.yaml", "values.yml", "docker-compose.yml"]),
  text: [
    `${dice.word()}:`,
    `  replicas: ${dice.int(9)}`,
    `  ${dice.word()}: ${dice.words(2)}`,
    dice.one([
      `  ${cased(name, "snake")}: ${value}`,
      `  ${cased(name, "camel")}: "${value}"`,
      `  ${cased(name, "upper")}: '${value}'`,
      `    - ${cased(name, "upper")}=${value}`,
    ]),
    `  enabled: true`,
    "",
  ].join("\n"),
});

const json: Context = (dice, name, value) => ({
  path: dice.one(["config.json", "settings/default.json", "appsettings.json"]),
  text: JSON.stringify(
    {
      name: dice.word(),
      version: `1.${dice.int(20)}.${dice.int(20)}`,
      [dice.word()]: {
        [cased(name, dice.one(["camel", "snake", "upper"]))]: value,
        retries: dice.int(9),
      },
    },
    null,
    dice.one([0, 2]),
  ) + "\n",
});

const typescript: Context = (dice, name, value) => ({
  path: dice.one(["src/config.ts", "lib/client.ts", "server/index.ts"]),
  text: [
    `import { ${dice.word()} } from "./${dice.word()}.ts";`,
    "",
    dice.one([
      `const ${cased(name, "camel")} = "${value}";`,
      `export const ${cased(name, "upper")}: string = '${value}';`,
      `const client = new Client({ ${cased(name, "camel")}: "${value}", timeout: ${
        dice.int(900)
      } });`,
      `process.env.${cased(name, "upper")} = \`${value}\`;`,
    ]),
    `export function ${dice.word()}(${dice.word()}: string): void {}`,
    "",
  ].join("\n"),
});

const markdown: Context = (dice, name, value) => ({
  path: dice.one(["README.md", "docs/setup.md", "NOTES.md"]),
  text: [
    `# ${dice.words(3)}`,
    "",
    `${dice.words(12)}.`,
    "",
    dice.one([
      "```sh\nexport " + `${cased(name, "upper")}=${value}` + "\n```",
      `Set \`${cased(name, "upper")}=${value}\` before the first start.`,
      `- ${cased(name, "snake")}: \`${value}\``,
    ]),
    "",
    `${dice.words(9)}.`,
    "",
  ].join("\n"),
});

const diff: Context = (dice, name, value) => ({
  path: dice.one(["fix.diff", "changes.patch"]),
  text: [
    `diff --git a/config.env b/config.env`,
    `index ${dice.chars("hex", 7)}..${dice.chars("hex", 7)} 100644`,
    `--- a/config.env`,
    `+++ b/config.env`,
    `@@ -1,3 +1,4 @@`,
    ` NODE_ENV=production`,
    dice.one(["+", "-"]) + dice.one([
      `${cased(name, "upper")}=${value}`,
      `  "${cased(name, "camel")}": "${value}",`,
      `const ${cased(name, "camel")} = '${value}';`,
    ]),
    ` PORT=${port(dice)}`,
    "",
  ].join("\n"),
});

export const CONTEXTS: Readonly<Record<string, Context>> = {
  env,
  yaml,
  json,
  typescript,
  markdown,
  diff,
};
