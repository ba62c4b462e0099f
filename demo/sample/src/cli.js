import process from "node:process";
import * as stats from "./stats.js";

const [name, ...words] = process.argv.slice(2);
const figure = Object.hasOwn(stats, name ?? "") ? stats[name] : undefined;
if (figure === undefined) {
  console.error(`usage: tally ${Object.keys(stats).join("|")} NUMBER...`);
  process.exit(2);
}
console.log(String(figure(words.map(Number))));
