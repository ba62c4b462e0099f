/** Whether this browser is logged in, and if not, why. */
import { computed, signal } from "@preact/signals";

type BrowserSession =
  | { readonly kind: "asking" }
  | { readonly kind: "in"; readonly csrf: string }
  /** `ended`: it expired or the service restarted; `left`: the person logged out. */
  | { readonly kind: "out"; readonly because: "never" | "ended" | "left" }
  /** The service has no secret, so nobody can log in. */
  | { readonly kind: "locked"; readonly why: string }
  | { readonly kind: "unreached" };

export const session = signal<BrowserSession>({ kind: "asking" });
export const loggedIn = computed(() => session.value.kind === "in");

export function ended(): void {
  if (session.value.kind === "in") session.value = { kind: "out", because: "ended" };
}

export function locked(why: string): void {
  session.value = { kind: "locked", why };
}
