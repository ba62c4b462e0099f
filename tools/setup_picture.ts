/** Takes the picture of docs/setup.md: `svc setup` on a real terminal, with a strict Ollama at its usual port. */
import { openBrowser } from "tests/kit/browser.ts";
import { onOwnNetwork } from "tests/kit/own_network.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const root = decodeURIComponent(new URL("..", import.meta.url).pathname);

/** What a terminal shows at the end: rows of cells, each with the style that it was written in. */
class Screen {
  readonly #rows: { readonly char: string; readonly style: string }[][] = [[]];
  #row = 0;
  #column = 0;
  #style = "";

  write(text: string): void {
    // deno-lint-ignore no-control-regex -- escape sequences are what a terminal is sent
    for (const part of text.match(/\x1b\[[?\d;]*[A-Za-z]|[^\x1b]/gu) ?? []) {
      if (part.startsWith("\x1b")) this.#obey(part.slice(2, -1), part.at(-1)!);
      else if (part === "\r") this.#column = 0;
      else if (part === "\n") this.#down(1);
      else this.#put(part);
    }
  }

  #put(char: string): void {
    const row = this.#rows[this.#row]!;
    while (row.length < this.#column) row.push({ char: " ", style: "" });
    row[this.#column++] = { char, style: this.#style };
  }

  #down(count: number): void {
    this.#row += count;
    while (this.#rows.length <= this.#row) this.#rows.push([]);
  }

  #obey(numbers: string, letter: string): void {
    const count = Number(numbers) || 1;
    if (letter === "A") this.#row = Math.max(0, this.#row - count);
    if (letter === "B") this.#down(count);
    if (letter === "D") this.#column = Math.max(0, this.#column - count);
    if (letter === "K") this.#rows[this.#row] = [];
    if (letter === "J") {
      this.#rows.length = this.#row + 1;
      this.#rows[this.#row] = this.#rows[this.#row]!.slice(0, this.#column);
    }
    if (letter === "m") this.#style = /^(?:0|22|39|29)?$/.test(numbers) ? "" : `s${numbers}`;
  }

  html(): string {
    const escaped = (char: string) => char.replace("&", "&amp;").replace("<", "&lt;");
    return this.#rows.map((row) =>
      row.map(({ char, style }) => `<span class="${style}">${escaped(char)}</span>`).join("")
    ).join("\n");
  }
}

const STYLE = `body { margin: 0; background: #16181d; color: #d8dbe2; }
pre { margin: 0; padding: 24px; font: 15px/1.45 monospace; width: max-content; }
.s2, .s90 { color: #8a90a0; } .s31 { color: #f07178; } .s32 { color: #8fd18f; }
.s33 { color: #e6c07b; } .s36 { color: #6fc3df; } .s1 { font-weight: bold; }`;

await using folder = await tempFolder();
await using repo = await tempRepo({ files: { "README.md": "# app\n" }, commit: true });
await using terminal = await onOwnNetwork({
  ...{ folder, repo, servers: ["ollama"] },
  lines: ["printf '$ svc setup\\n'", "svc setup"],
});
await terminal.seen(/Which model should every role use\?/);
await terminal.type("\r");
await terminal.seen(/all over/);
const screen = new Screen();
screen.write(
  terminal.printed.replaceAll(`${folder.path}/home`, "/home/ada").split("all over")[0]!.trimEnd(),
);
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 400 } });
  await page.setContent(`<style>${STYLE}</style><pre>${screen.html()}</pre>`);
  await page.locator("pre").screenshot({ path: `${root}docs/images/setup.png` });
} finally {
  await browser.close();
}
