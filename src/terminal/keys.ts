/** The keys of the live screen: one table for what they do, the line that names them and the help. */

export type KeyAction = "pause" | "restart" | "scan" | "stop" | "help";

export interface Key {
  /** As typed, in lower case; the first one is shown. */
  readonly keys: readonly [string, ...string[]];
  readonly action: KeyAction;
  readonly short: string;
  /** Instead of `short` while claims are paused. */
  readonly shortPaused?: string;
  readonly about: string;
}

/** Spec section 4.4. */
export const KEYS: readonly Key[] = [
  {
    keys: ["p"],
    action: "pause",
    short: "pause",
    shortPaused: "resume",
    about: "pause or resume: no new job is begun, jobs that run go on",
  },
  {
    keys: ["r"],
    action: "restart",
    short: "restart",
    about: "warm restart: jobs are stopped gracefully, manifests and triggers read anew",
  },
  { keys: ["s"], action: "scan", short: "scan", about: "scan all registered repos for gaps" },
  {
    keys: ["q"],
    action: "stop",
    short: "stop",
    about: "stop gracefully, as Ctrl-C does; once more stops at once",
  },
  { keys: ["h", "?"], action: "help", short: "help", about: "show or hide this help" },
];

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";

/**
 * What typed text asks for. Escape sequences (arrows, Alt, answers of the terminal) and pasted text ask
 * for nothing, and neither does a key that is in no table.
 */
export class KeyReader {
  #pasting = false;

  read(typed: string): KeyAction[] {
    return [...this.#keysOf(typed)].flatMap((char) => {
      const key = KEYS.find(({ keys }) => keys.includes(char.toLowerCase()));
      return key === undefined ? [] : [key.action];
    });
  }

  #keysOf(typed: string): string {
    let keys = "";
    let rest = typed;
    while (rest !== "") {
      const mark = this.#pasting ? PASTE_ENDS : PASTE_BEGINS;
      const at = rest.indexOf(mark);
      const part = at === -1 ? rest : rest.slice(0, at);
      if (!this.#pasting) keys += part;
      if (at === -1) break;
      this.#pasting = !this.#pasting;
      rest = rest.slice(at + mark.length);
    }
    // CSI and SS3 sequences with their last character, and Alt with the character it goes with (ECMA-48, xterm).
    // deno-lint-ignore no-control-regex -- they are what is taken out
    return keys.replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]?|O[ -~]?|.?)/gs, "");
  }
}
