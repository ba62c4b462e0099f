/** The size of the terminal, also of one that does not say: `script`, and some CI, open pseudo-terminals of 0 by 0. */

const USUAL = { columns: 80, rows: 24 };

/** @throws where there is no terminal */
export function consoleSize(): { readonly columns: number; readonly rows: number } {
  const { columns, rows } = Deno.consoleSize();
  return { columns: columns || USUAL.columns, rows: rows || USUAL.rows };
}
