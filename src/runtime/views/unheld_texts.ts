/** Texts of tickets that found no room in the cache, for searches: read again, and once for all who ask the same. */
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { TICKET_BYTES } from "svc/features/tickets/ticket_places.ts";
import type { BoardFiles } from "./repo_files.ts";
import { UNINTERRUPTED, type ViewPorts } from "./view_ports.ts";

type Files = Pick<BoardFiles, "texts" | "tickets">;

interface SearchedFiles {
  readonly row: Pick<RegisteredRepo, "path">;
  readonly files: Files;
}

/** By path: those of the words that the text contains. */
type FoundWords = ReadonlyMap<string, string>;

/** Searches that are kept with the files that they read; the board asks for each of its columns. */
const KEPT = 4;

const kept = new WeakMap<Files, Map<string, Promise<FoundWords>>>();

async function readWords(
  { readTree }: Pick<ViewPorts, "readTree">,
  { row, files: { tickets, texts } }: SearchedFiles,
  words: readonly string[],
): Promise<FoundWords> {
  const paths = tickets.map(({ path }) => path).filter((path) => texts.text(path) === undefined);
  const found = new Map<string, string>();
  if (words.length === 0 || paths.length === 0) return found;
  const plan = { root: row.path, paths, maxBytes: TICKET_BYTES, signal: UNINTERRUPTED };
  await readTree(plan, (path, content) => {
    if (typeof content === "string") return;
    const text = texts.foldedText(content);
    found.set(path, words.filter((word) => text.includes(word)).join("\n"));
  });
  return found;
}

/** Only which of the words each contains is kept. One that fails is not. */
export async function unheldTexts(
  ports: Pick<ViewPorts, "readTree">,
  searched: SearchedFiles,
  words: readonly string[],
): Promise<FoundWords> {
  const { files } = searched;
  const searches = kept.get(files) ?? new Map<string, Promise<FoundWords>>();
  kept.set(files, searches);
  const key = JSON.stringify(words);
  const known = searches.get(key);
  if (known !== undefined) return await known;
  const reading = readWords(ports, searched, words);
  searches.set(key, reading);
  const [oldest] = searches.keys();
  if (searches.size > KEPT) searches.delete(oldest!);
  try {
    return await reading;
  } catch (thrown) {
    searches.delete(key);
    throw thrown;
  }
}
