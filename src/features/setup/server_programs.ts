/** Programs that serve models: which are here, and how to get one on this system. */
import type { Programs } from "svc/platform/process/program.ts";

export interface System {
  readonly os: "linux" | "darwin" | "windows";
  readonly arch: "x64" | "arm64";
}

/** From a target triple, such as "x86_64-unknown-linux-gnu". */
export function systemOf(target: string): System {
  const os = /darwin/.test(target) ? "darwin" : /windows/.test(target) ? "windows" : "linux";
  return { os, arch: /^(?:aarch64|arm64)/.test(target) ? "arm64" : "x64" };
}

export const SERVER_PROGRAMS = ["llama-server", "ollama", "lms", "vllm"] as const;
export type ServerProgramName = typeof SERVER_PROGRAMS[number];

interface Way {
  readonly on: readonly System["os"][];
  /** The program that it needs; nothing else is needed where it is left out. */
  readonly by?: string;
  readonly line: string;
}

const ALL = ["linux", "darwin", "windows"] as const;
const UNIX = ["linux", "darwin"] as const;

/** The first that fits: llama.cpp's docs/install.md, ollama.com/download, lmstudio.ai/docs/cli, docs.vllm.ai. */
const WAYS: Readonly<Record<ServerProgramName, readonly Way[]>> = {
  "llama-server": [
    { on: UNIX, by: "brew", line: "brew install llama.cpp" },
    { on: UNIX, by: "nix", line: "nix profile install nixpkgs#llama-cpp" },
    { on: ["darwin"], by: "port", line: "sudo port install llama.cpp" },
    { on: ALL, by: "conda", line: "conda install -c conda-forge llama-cpp" },
    { on: ["windows"], by: "winget", line: "winget install llama.cpp" },
    {
      on: ALL,
      line:
        "unpack a build of https://github.com/ggml-org/llama.cpp/releases into a folder of PATH",
    },
  ],
  ollama: [
    { on: UNIX, by: "brew", line: "brew install ollama" },
    { on: ["linux"], line: "curl -fsSL https://ollama.com/install.sh | sh" },
    { on: ["windows"], by: "winget", line: "winget install Ollama.Ollama" },
    { on: ALL, line: "https://ollama.com/download" },
  ],
  lms: [{
    on: ALL,
    line: "install LM Studio from https://lmstudio.ai/download; lms comes with it",
  }],
  vllm: [
    { on: ["linux"], by: "uv", line: "uv pip install vllm --torch-backend=auto" },
    { on: ["linux"], line: "pip install vllm" },
    { on: ALL, line: "vLLM has no builds for this system" },
  ],
};

export interface ServerProgram {
  readonly program: ServerProgramName;
  readonly found: boolean;
  /** One line that gets it on this system. */
  readonly get: string;
}

export function serverPrograms({ os }: System, { has }: Programs): ServerProgram[] {
  return SERVER_PROGRAMS.map((program) => {
    const way = WAYS[program].find(({ on, by }) =>
      on.includes(os) && (by === undefined || has(by))
    );
    return { program, found: has(program), get: way!.line };
  });
}
