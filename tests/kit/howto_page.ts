/**
 * How-to pages as shell scripts: their commands are run as they stand, in the order of the page, in one shell.
 *
 *   ```sh                    lines that must succeed; nothing is said of what they print
 *   ```console               `$ command`, then what it prints; a line `…` stands for any lines
 *   <!-- file: ~/x -->       the next fence is what is written into that file
 *   <!-- serves: text -->    the next fence is one command that goes on behind the rest; it has begun when it says the text
 *   <!-- fails -->           the last command of the next fence fails, as the page says
 *   <!-- by hand: why -->    the next fence is not run
 *   <!-- test: command -->   stands alone: what the test does where a person would not, such as another certificate
 */
export interface ShownCommand {
  readonly command: string;
  readonly output: readonly string[];
}

export interface HowtoPage {
  readonly script: string;
  /** What the page says that commands print, by the number that the script prints before them. */
  readonly shown: ReadonlyMap<number, ShownCommand>;
  /** Commands that are run, and those that are left to a person. */
  readonly run: number;
  readonly byHand: readonly string[];
}

const PART =
  /<!-- test: ([^]*?) -->|(?:<!-- (file|serves|fails|by hand)(?:: ([^]*?))? -->\s*)?^```(\w*)\n([^]*?)^```$/gm;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** `~` is the person's home. */
const shellPath = (path: string) =>
  path.startsWith("~/") ? `"$HOME"/${quoted(path.slice(2))}` : quoted(path);

function writing(path: string, body: string): string {
  const at = shellPath(path);
  return `mkdir -p "$(dirname ${at})"\ncat > ${at} <<'END_OF_FILE'\n${body}END_OF_FILE`;
}

/** Resolves in the shell when the text was said; the output goes on being written to the file. */
function serving(command: string, ready: string, log: string): string {
  return `${command} > ${log} 2>&1 &
serving=$!
for _ in $(seq 600); do
  grep -qF ${quoted(ready)} ${log} && break
  kill -0 $serving 2>/dev/null || break
  sleep 0.1
done
grep -qF ${quoted(ready)} ${log} || { cat ${log}; echo "it never said: "${
    quoted(ready)
  }; exit 1; }`;
}

/** What the script prints before each shown command, and after it. */
export const mark = (number: number) => `:: shown ${number}`;
export const END_MARK = ":: shown end";

export function howtoPage(markdown: string): HowtoPage {
  const shown = new Map<number, ShownCommand>();
  const byHand: string[] = [];
  const lines: string[] = [];
  let run = 0;
  for (const [, hidden, how, what = "", language, body = ""] of markdown.matchAll(PART)) {
    if (hidden !== undefined) lines.push(hidden);
    else if (how === "by hand") byHand.push(body.trim());
    else if (how === "file") lines.push(writing(what, body));
    else if (how === "serves") {
      run++;
      lines.push(
        serving(body.replace(/^\$ /, "").split("\n")[0]!, what, `"$HOME/served-${run}.log"`),
      );
    } else if (language === "sh") {
      run += body.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;
      lines.push(how === "fails" ? `if ! (\n${body}); then :; else exit 1; fi` : body.trimEnd());
    } else if (language === "console") {
      for (const part of body.split(/^\$ /m).slice(1)) {
        const [command = "", ...output] = part.trimEnd().split("\n");
        const number = ++run;
        shown.set(number, { command, output });
        const fails = how === "fails" ? "&& exit 1 || true" : "";
        lines.push(`echo '${mark(number)}'\n{ ${command}\n} 2>&1 ${fails}\necho '${END_MARK}'`);
      }
    }
  }
  return { script: lines.join("\n"), shown, run, byHand };
}
