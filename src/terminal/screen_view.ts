/** What a frame of the screen is drawn for: size, time, and what the person chose. */
import type { Redact } from "svc/core/redact.ts";

export interface ScreenUrls {
  readonly dashboard?: string | undefined;
  readonly control?: string | undefined;
}

export interface ScreenView {
  readonly columns: number;
  readonly rows: number;
  /** Epoch ms. */
  readonly now: number;
  readonly urls: ScreenUrls;
  /** As `--db` takes it, without a password; undefined where it is the repo's own. */
  readonly database?: string | undefined;
  readonly help: boolean;
  readonly notice?: string;
  /** False: the same text without colour. */
  readonly styled: boolean;
  readonly redact: Redact;
}
