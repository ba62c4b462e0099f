/** A small shop with tests, documents, and a file that nothing has to do with. */

export const SHOP: Readonly<Record<string, string>> = {
  "src/cart.ts": `import { priceOf } from "./price.ts";
export class Cart {
  total(): number { return priceOf("tea"); }
}
`,
  "src/price.ts": `/** What an article costs, in cents. */
export function priceOf(article: string): number { return article.length; }
export function roundedPrice(cents: number): number { return cents; }
`,
  "src/mail.ts": `export function sendMail(to: string) { return to; }\n`,
  "src/index.ts": `export * from "./cart.ts";\nexport * from "./mail.ts";\n`,
  "tests/price_test.ts": `import { priceOf } from "../src/price.ts";\npriceOf("tea");\n`,
  "tests/mail_test.ts": `import { sendMail } from "../src/mail.ts";\nsendMail("ada");\n`,
  "docs/prices.md": "# Prices\n\n`priceOf` in price.ts gives cents.\n",
  "docs/mail.md": "# Mail\n\nHow mail.ts sends.\n",
};
