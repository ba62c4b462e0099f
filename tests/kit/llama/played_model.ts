/**
 * A language model whose weights are set by hand, so that it plays a script: a transformer of one layer that
 * llama.cpp loads like any other. What it says is decided by the engine that nobody here wrote: it tokenises
 * the prompt, runs attention over it, samples, and reads tool calls from the text.
 *
 * How: each turn of the script is a mark, then one token that is all the rest. Embeddings are one-hot, so the output
 * matrix says what follows one of these two. The one head looks at cues and marks in the prompt alone; marks are the
 * turns that were taken before. After anything else the turn begins that follows the latest of them.
 */
import { type GgufValue, type Tensor, writeGguf } from "./gguf.ts";

export interface PlayedTurn {
  /** Its first word, which stands nowhere else in what the model reads; it shows that the turn was taken. */
  readonly mark: string;
  /** What follows the mark, calls of tools included; no two turns say the same. */
  readonly text: string;
}

/** What is played when a prompt has the cue: a role's name, say, or the name of a tool of one request. */
export interface Scene {
  readonly cue: string;
  readonly turns: readonly PlayedTurn[];
}

export interface Played {
  /** Where a prompt has the cues of several, the last of these is played. */
  readonly scenes: readonly Scene[];
  /** Jinja, as in the files of a model. */
  readonly template: string;
  /** What the template writes for the tokenizer, such as "<|im_start|>". */
  readonly control: readonly string[];
  /** Ends a turn; one of `control`. */
  readonly end: string;
  /** Tokens that the engine may print and read, such as "<tool_call>". */
  readonly words?: readonly string[];
  readonly name?: string;
  /** Tokens that it was made for. */
  readonly contextWindow?: number;
}

/** Token types of llama.cpp: a normal one is made of bytes, words are found in the text before that. */
const [NORMAL, CONTROL, USER_DEFINED] = [1, 3, 4];
const HEAD = 64;
const FEED_FORWARD = 32;

/** GPT-2's printable form of a byte (`bytes_to_unicode` of its encoder.py). */
function byteForms(): readonly string[] {
  const shown = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let others = 0;
  return Array.from(
    { length: 256 },
    (_, byte) => String.fromCodePoint(shown(byte) ? byte : 256 + others++),
  );
}

class Vocabulary {
  readonly #forms = byteForms();
  readonly texts: string[] = [...this.#forms];
  readonly types: number[] = this.#forms.map(() => NORMAL!);

  add(text: string, type: number): number {
    this.types.push(type);
    return this.texts.push(text) - 1;
  }

  /** No text of a prompt becomes it: there are no merges. */
  piece(text: string): number {
    const bytes = [...new TextEncoder().encode(text)];
    return this.add(bytes.map((byte) => this.#forms[byte]).join(""), NORMAL!);
  }
}

/** A token that the head looks for, and the one that is said when it is the latest. */
interface Seen {
  readonly token: number;
  readonly says: number;
}

interface Script {
  /** The later, the stronger. */
  readonly seen: readonly Seen[];
  readonly follows: readonly (readonly [token: number, next: number])[];
}

function scriptOf({ scenes }: Played, vocabulary: Vocabulary, end: number): Script {
  const cues: Seen[] = [];
  const taken: Seen[] = [];
  const follows: [number, number][] = [];
  for (const { cue, turns } of scenes) {
    const marks = turns.map(({ mark }) => vocabulary.add(mark, USER_DEFINED!));
    cues.push({ token: vocabulary.add(cue, USER_DEFINED!), says: marks[0]! });
    taken.push(...marks.map((token, at) => ({ token, says: marks[at + 1] ?? end })));
    for (const [at, { text }] of turns.entries()) {
      const piece = vocabulary.piece(text);
      follows.push([marks[at]!, piece], [piece, end]);
    }
  }
  return { seen: [...cues, ...taken], follows };
}

/** Rows of `width`, for the engine's matrices. */
class Matrix implements Tensor {
  readonly data: Float32Array;
  readonly dimensions: readonly number[];

  constructor(readonly width: number, readonly rows: number) {
    this.data = new Float32Array(width * rows);
    this.dimensions = [width, rows];
  }

  set(row: number, column: number, value: number): void {
    this.data[row * this.width + column] = value;
  }
}

function ones(length: number): Tensor {
  return { dimensions: [length], data: new Float32Array(length).fill(1) };
}

/** What is seen later outweighs all before it, even where that is seen a few times. */
const LATER = 8;

function weights(size: number, { seen, follows }: Script): Record<string, Tensor> {
  const width = Math.ceil((size + seen.length) / 32) * 32;
  // The engine divides an embedding by its root mean square.
  const normed = Math.sqrt(width);
  const [embedding, output] = [new Matrix(width, size), new Matrix(width, size)];
  const [query, key, value] = [
    new Matrix(width, HEAD),
    new Matrix(width, HEAD),
    new Matrix(width, HEAD),
  ];
  const attended = new Matrix(HEAD, width);
  // The last pair of a head hardly turns with the position.
  const still = HEAD - 1;
  for (let token = 0; token < size; token++) {
    embedding.set(token, token, 1);
    query.set(still, token, 8 / normed);
  }
  seen.forEach(({ token, says }, at) => {
    key.set(still, token, 60 / normed);
    value.set(at, token, 1 / normed);
    attended.set(size + at, at, 1);
    output.set(says, size + at, LATER ** at);
  });
  for (const [token, next] of follows) output.set(next, token, LATER ** (seen.length + 1));
  const layer = (name: string) => `blk.0.${name}.weight`;
  return {
    "token_embd.weight": embedding,
    "output_norm.weight": ones(width),
    "output.weight": output,
    [layer("attn_norm")]: ones(width),
    [layer("attn_q")]: query,
    [layer("attn_k")]: key,
    [layer("attn_v")]: value,
    [layer("attn_output")]: attended,
    [layer("ffn_norm")]: ones(width),
    [layer("ffn_gate")]: new Matrix(width, FEED_FORWARD),
    [layer("ffn_up")]: new Matrix(width, FEED_FORWARD),
    [layer("ffn_down")]: new Matrix(FEED_FORWARD, width),
  };
}

/** Writes the model to `path`, a file that ends in `.gguf`. */
export async function writePlayedModel(path: string, played: Played): Promise<void> {
  const vocabulary = new Vocabulary();
  for (const text of played.control) vocabulary.add(text, CONTROL!);
  for (const text of played.words ?? []) vocabulary.add(text, USER_DEFINED!);
  const end = vocabulary.texts.indexOf(played.end);
  const script = scriptOf(played, vocabulary, end);
  const size = vocabulary.texts.length;
  const tensors = weights(size, script);
  const window = played.contextWindow ?? 65_536;
  const llama = (name: string, value: GgufValue) => ({ [`llama.${name}`]: value });
  await writeGguf(path, {
    "general.architecture": { string: "llama" },
    "general.name": { string: played.name ?? "played" },
    ...llama("vocab_size", { uint32: size }),
    ...llama("context_length", { uint32: window }),
    ...llama("embedding_length", { uint32: tensors["output_norm.weight"]!.dimensions[0]! }),
    ...llama("block_count", { uint32: 1 }),
    ...llama("feed_forward_length", { uint32: FEED_FORWARD }),
    ...llama("attention.head_count", { uint32: 1 }),
    ...llama("attention.key_length", { uint32: HEAD }),
    ...llama("attention.value_length", { uint32: HEAD }),
    ...llama("attention.layer_norm_rms_epsilon", { float32: 1e-6 }),
    ...llama("rope.dimension_count", { uint32: HEAD }),
    ...llama("rope.freq_base", { float32: 1e12 }),
    "tokenizer.ggml.model": { string: "gpt2" },
    "tokenizer.ggml.pre": { string: "qwen2" },
    "tokenizer.ggml.tokens": { strings: vocabulary.texts },
    "tokenizer.ggml.token_type": { int32s: vocabulary.types },
    "tokenizer.ggml.merges": { strings: [] },
    "tokenizer.ggml.eos_token_id": { uint32: end },
    "tokenizer.chat_template": { string: played.template },
  }, tensors);
}
