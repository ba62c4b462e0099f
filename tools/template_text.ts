/** A text between backticks, as it stands in a generated module. */
export function templateText(text: string): string {
  return `\`${text.replaceAll(/[\\`$]/g, "\\$&")}\``;
}

/** Data as text, which is read in half the time that V8 takes to make as large an object of code; two levels have lines. */
export function parsedText(value: unknown): string {
  return `JSON.parse(${
    templateText(JSON.stringify(value, null, 1).replaceAll(/\n(?: {3,}| {2}(?=[\]}]))/g, ""))
  })`;
}
