/** A unified diff, file by file, with coloured lines. */
import { useMemo } from "preact/hooks";
import { filesOf } from "svc/dashboard/state/diff_files.ts";

const kindOf = (line: string): string =>
  line.startsWith("@@")
    ? "hunk"
    : line.startsWith("+")
    ? "plus"
    : line.startsWith("-")
    ? "minus"
    : "";

/** Lines of one kind that follow each other are one piece: each is an element, and a diff may have 100,000 lines. */
function piecesOf(lines: readonly string[]): readonly { kind: string; text: string }[] {
  const pieces: { kind: string; text: string }[] = [];
  for (const line of lines) {
    const kind = kindOf(line);
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += `${line}\n`;
    else pieces.push({ kind, text: `${line}\n` });
  }
  return pieces;
}

/** Further files are closed at first: a page of a hundred files stays light. */
const OPEN_FILES = 6;

function Files({ of, cut }: DiffProps) {
  return (
    <div class="diff">
      {filesOf(of).map(({ name, lines, added, removed }, nth) => (
        <details key={name} open={nth < OPEN_FILES} data-item>
          <summary>
            <span class="mono">{name}</span>
            <span class="diff-stat">
              <b class="up">+{added}</b> <b class="down">−{removed}</b>
            </span>
          </summary>
          <pre
            tabIndex={0}
          >{piecesOf(lines).map(({ kind, text }, at) => <span key={at} class={kind}>{text}</span>)}</pre>
        </details>
      ))}
      {cut && (
        <p class="dim">
          The diff is longer; here is its beginning. In the repo: <code>git show</code>
        </p>
      )}
    </div>
  );
}

interface DiffProps {
  readonly of: string;
  readonly cut: boolean;
}

/** The page is drawn again at each event, and the same diff is not. */
export function Diff({ of, cut }: DiffProps) {
  return useMemo(() => <Files of={of} cut={cut} />, [of, cut]);
}
