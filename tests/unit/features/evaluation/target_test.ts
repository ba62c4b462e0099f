import assert from "node:assert/strict";
import { isCloud } from "svc/features/evaluation/target.ts";

const PLACES: readonly (readonly [endpoint: string, model: string, cloud: boolean])[] = [
  ["http://127.0.0.1:11434/v1", "qwen3:4b", false],
  ["http://127.0.0.1:11434/v1", "qwen3-coder:480b-cloud", true],
  ["http://127.0.0.1:11434/v1", "gpt-oss:cloud", true],
  ["http://192.168.1.20:8000/v1", "x", false],
  ["https://192.168.1.20:8443/v1", "x", false],
  ["https://[fd00::1]/v1", "x", false],
  ["https://api.openai.com/v1", "gpt-5", true],
  ["https://models.example.com/v1", "", true],
];

for (const [endpoint, model, cloud] of PLACES) {
  Deno.test(`${model || "a model"} at ${endpoint} is ${cloud ? "a" : "no"} cloud's`, () => {
    assert.equal(isCloud({ endpoint, model }), cloud);
  });
}
