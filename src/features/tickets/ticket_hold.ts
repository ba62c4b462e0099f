/** Holds what was read of tickets' files, so that only those that changed are read again; their texts for searches. */
import { ticketBody } from "./ticket_file.ts";

/** Characters of held texts, which several holds share: some 25,000 tickets of a usual length. */
export class TextRoom {
  #left: number;

  constructor(chars: number) {
    this.#left = chars;
  }

  take(chars: number): boolean {
    if (chars > this.#left) return false;
    this.#left -= chars;
    return true;
  }

  giveBack(chars: number): void {
    this.#left += chars;
  }
}

/** How a text is compared in searches, the same in every locale; keeps its lines. */
export const folded = (text: string) => text.normalize("NFC").toLowerCase();

interface HeldFile<Read> {
  readonly stamp: string;
  readonly read: Read;
  readonly text: string | undefined;
}

/** @template Read what reading one file gave */
export class TicketHold<Read> {
  readonly #files = new Map<string, HeldFile<Read>>();
  readonly #texts: TextRoom | undefined;
  readonly #shown: (text: string) => string;

  /** @param texts without it no text is held; `shown` is what a search may find of a text */
  constructor(texts?: { readonly room: TextRoom; shown(text: string): string }) {
    this.#texts = texts?.room;
    this.#shown = texts?.shown ?? ((text) => text);
  }

  stamps(): ReadonlyMap<string, string> {
    return new Map([...this.#files].map(([path, { stamp }]) => [path, stamp]));
  }

  read(path: string): Read | undefined {
    return this.#files.get(path)?.read;
  }

  /** Folded; undefined for a file whose text found no room. */
  text(path: string): string | undefined {
    return this.#files.get(path)?.text;
  }

  /** As a text that was not held would be. */
  foldedText(bytes: Uint8Array): string {
    return folded(this.#shown(ticketBody(bytes)));
  }

  /** @param file.stamp "" for a file that must be read again; `bytes` of a ticket are searched, and not kept */
  keep(path: string, read: Read, file: { stamp: string; bytes?: Uint8Array | undefined }): void {
    this.forget(path);
    const { stamp, bytes } = file;
    const wanted = this.#texts !== undefined && bytes !== undefined;
    const text = wanted ? this.foldedText(bytes) : undefined;
    const fits = text !== undefined && this.#texts!.take(text.length);
    this.#files.set(path, { stamp, read, text: fits ? text : undefined });
  }

  forget(path: string): void {
    const { text } = this.#files.get(path) ?? {};
    if (text !== undefined) this.#texts?.giveBack(text.length);
    this.#files.delete(path);
  }

  forgetAllBut(paths: ReadonlyMap<string, unknown>): void {
    for (const path of [...this.#files.keys()]) if (!paths.has(path)) this.forget(path);
  }
}
