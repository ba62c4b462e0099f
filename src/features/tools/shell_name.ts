/** Which programs are shells: what they are given they read as code. */
import { nameOf } from "svc/core/path_parts.ts";

const SHELLS = /^(?:(?:ba|da|z|k|mk|c|tc|a|ya|r|fi)?sh|busybox|elvish|nu|xonsh|pwsh)$/;

/** By name alone; a program that starts a shell itself is not recognised. */
export function isShell(program: string): boolean {
  return SHELLS.test(nameOf(program));
}
