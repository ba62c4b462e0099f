/** Knows a model by its names: as its maker, Ollama, LM Studio, a cloud or a GGUF file writes them. */

/** Characters of a model's id that are looked at. */
const ID_CHARS = 300;

/** The owner before a name: `unsloth_Qwen3-…` of GGUF files, `qwen.qwen3-…` of Bedrock. */
const OWNER = /^[a-z][a-z-]*[._](?=[a-z])/;

/** The whole id, then each part of its path from the last: the file, the repo, `models--Qwen--Qwen3-32B`. */
function namesOf(id: string): string[] {
  const whole = id.slice(0, ID_CHARS).toLowerCase();
  const parts = whole.split(/\/|--/).filter((part) => part !== "").reverse();
  return [whole, ...parts.flatMap((part) => [part, part.replace(OWNER, "")])];
}

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Whether `id` is a model whose name starts with `stem`, in which `#` is a number, and ends there or goes on after a mark. */
export function hasStem(id: string, stem: string): boolean {
  const start = stem.split("#").map(literal).join("\\d+(?:\\.\\d+)?");
  const pattern = new RegExp(`^${start}(?![a-z0-9]|\\.\\d)`);
  return namesOf(id).some((name) => pattern.test(name));
}

/** Whether `pattern`, in which `*` is anything, is a name of the model. */
export function isNamed(id: string, pattern: string): boolean {
  const whole = pattern.toLowerCase().split("*").map(literal).join(".*");
  const wanted = new RegExp(`^${whole}$`, "s");
  return namesOf(id).some((name) => wanted.test(name));
}
