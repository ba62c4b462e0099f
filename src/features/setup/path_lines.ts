/** Writes "put this folder on PATH" in each shell's language, whatever characters the folder has. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Shell } from "./shell_profiles.ts";

interface PathSyntax {
  /** Evaluates to exactly `path`, below `home` as `$HOME/…`. */
  quote(path: string, home: string): string;
  addToPath(word: string): readonly string[];
  readonly source: string;
}

/** With its slash; undefined when the path lies elsewhere. */
function belowHome(path: string, home: string): string | undefined {
  if (home === "/") return undefined;
  return path === home || path.startsWith(`${home}/`) ? path.slice(home.length) : undefined;
}

function doubleQuoted(path: string, home: string, special: RegExp): string {
  const below = belowHome(path, home);
  const text = (below ?? path).replaceAll(special, "\\$&");
  return `"${below === undefined ? "" : "$HOME"}${text}"`;
}

const posix: PathSyntax = {
  quote: (path, home) => doubleQuoted(path, home, /[\\"$`]/g),
  addToPath: (word) => [
    // An unset or empty PATH gets no colon: an empty entry would mean the working directory.
    'case ":${PATH-}:" in',
    `  *:${word}:*) ;;`,
    `  *) export PATH=${word.slice(0, -1)}\${PATH:+:$PATH}" ;;`,
    "esac",
  ],
  source: ".",
};

const fish: PathSyntax = {
  quote: (path, home) => doubleQuoted(path, home, /[\\"$]/g),
  addToPath: (word) => [`contains -- ${word} $PATH; or set -gx PATH ${word} $PATH`],
  source: "source",
};

const csh: PathSyntax = {
  quote(path, home) {
    const below = belowHome(path, home);
    // Outside of quotes: inside, `!` is still history and `set backslash_quote` changes
    // backslashes.
    const words = (below ?? path).match(/[\\'!]|[^\\'!]+/g) ?? [];
    const text = words.map((part) => /[\\'!]/.test(part) ? `\\${part}` : `'${part}'`).join("");
    return below === undefined ? text : `"$home"${text}`;
  },
  // csh lacks literal patterns and `foreach` may expand quoted words: entries are compared singly.
  addToPath: (word) => [
    "if (! $?PATH) setenv PATH /usr/bin:/bin",
    `set svc_dir = ${word}`,
    "@ svc_at = $#path",
    "while ($svc_at > 0)",
    '  if ("$path[$svc_at]" == "$svc_dir") set svc_dir = ""',
    "  @ svc_at--",
    "end",
    'if ("$svc_dir" != "") setenv PATH "${svc_dir}:${PATH}"',
    "unset svc_dir svc_at",
  ],
  source: "source",
};

const SYNTAX: Readonly<Record<Shell, PathSyntax>> = {
  bash: posix,
  zsh: posix,
  sh: posix,
  ksh: posix,
  fish,
  csh,
  tcsh: csh,
};

/** Lines without line ends. @throws Failure `usage` for a folder that no PATH can hold */
export function pathLines(shell: Shell, folder: string, home: string): readonly string[] {
  const fault = folder.includes(":")
    ? "a colon separates folders there"
    : /[\p{Cc}\u{FFFD}]/u.test(folder)
    ? "it has a control character or is not UTF-8"
    : undefined;
  if (fault !== undefined) {
    throw new Failure("usage", `Cannot put ${quoted(folder)} on PATH: ${fault}`, {
      remedy: "Install svc into another folder: make install INSTALL_DIR=$HOME/.local/bin",
    });
  }
  const { addToPath, quote } = SYNTAX[shell];
  return addToPath(quote(folder, home));
}

export function sourceLine(shell: Shell, path: string, home: string): string {
  const { source, quote } = SYNTAX[shell];
  const below = belowHome(path, home);
  const plain = below !== undefined && /^[\w./-]+$/.test(below);
  return `${source} ${plain ? `~${below}` : quote(path, home)}`;
}
