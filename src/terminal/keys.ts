/** The keys of a service at a terminal: one table for their actions, the bottom line and the help. */

export type KeyAction = "pause" | "restart" | "scan" | "stop" | "help";

interface ScreenKey {
  /** In lower case; the first one is shown. */
  readonly keys: readonly [string, ...string[]];
  readonly action: KeyAction;
  readonly short: string;
  /** Replaces `short` while claims are paused. */
  readonly shortPaused?: string;
  readonly about: string;
}

/** Spec section 4.4. */
export const KEYS: readonly ScreenKey[] = [
  {
    keys: ["p"],
    action: "pause",
    short: "pause",
    shortPaused: "resume",
    about: "pause or resume: no new job starts, running jobs go on",
  },
  {
    keys: ["r"],
    action: "restart",
    short: "restart",
    about: "warm restart: jobs stop gracefully, manifests and triggers are read again",
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

/** Each key with what it does; Ctrl-C is a signal, and told all the same. */
export const KEY_HELP: readonly (readonly [keys: string, about: string])[] = [
  ...KEYS.map(({ keys, about }) => [keys.join(" "), about] as const),
  ["Ctrl-C", "stop gracefully; once more stops at once"],
];

const PASTE_BEGINS = "\x1b[200~";
const PASTE_ENDS = "\x1b[201~";

/** Ignores escape sequences (arrows, Alt, replies of the terminal), pasted text and unknown keys. */
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
    // CSI and SS3 sequences with their final character, and Alt with its character (ECMA-48, xterm).
    // deno-lint-ignore no-control-regex -- control characters are what is removed
    return keys.replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]?|O[ -~]?|.?)/gs, "");
  }
}
