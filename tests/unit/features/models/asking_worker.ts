/** Asks a model inside a confined Worker and posts the answer's text. */
import { ask } from "./asking.ts";

const scope = self as unknown as Worker;
scope.onmessage = async ({ data }) => {
  const said = await ask(data.url, {}, data.request).then(({ text }) => text, String);
  scope.postMessage(said);
};
