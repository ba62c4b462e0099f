/** A real entrance with captured output and a chosen environment, for commands run in process. */
import { run } from "svc/cli/main.ts";
import { denoEntrance, type Entrance, type Sink } from "svc/platform/entrance.ts";

export interface Place {
  readonly env?: Readonly<Record<string, string>>;
  /** Columns of a terminal; absent: output is not a terminal. */
  readonly columns?: number;
  readonly cwd?: string;
}

export interface Shown {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function captured(columns: number | undefined): Sink & { text: string } {
  return {
    text: "",
    terminal: columns !== undefined,
    columns: () => columns,
    write(text) {
      this.text += text;
    },
  };
}

export interface Captured {
  readonly entrance: Entrance;
  readonly stdout: { readonly text: string };
  readonly stderr: { readonly text: string };
}

export function capturedEntrance(place: Place = {}): Captured {
  const stdout = captured(place.columns);
  const stderr = captured(place.columns);
  const known = new Map(Object.entries(place.env ?? { SVC_HOME: "/nonexistent/svc-test-home" }));
  const entrance: Entrance = {
    ...denoEntrance(new URL("../../main.ts", import.meta.url).href),
    env: {
      get: (name) => known.get(name),
      all: () => Object.fromEntries(known),
      forget: (name) => void known.delete(name),
    },
    stdout,
    stderr,
    stdinTerminal: place.columns !== undefined,
    // The process of the tests goes on.
    giveUp: () => Promise.resolve(undefined),
    ...(place.cwd !== undefined && { cwd: () => place.cwd! }),
  };
  return { entrance, stdout, stderr };
}

export async function svc(args: readonly string[], place: Place = {}): Promise<Shown> {
  const { entrance, stdout, stderr } = capturedEntrance(place);
  const code = await run(args, entrance);
  return { code, stdout: stdout.text, stderr: stderr.text };
}
