/** Node's cryptography, loaded at the first use: the module takes 20 ms and 4 MiB, which most starts never need. */

// deno-lint-ignore no-process-global -- importing node:process would load it at once
export const nodeCrypto = () => process.getBuiltinModule("node:crypto");
