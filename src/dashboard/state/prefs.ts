/** Preferences of this browser: light or dark, and whether single keys are shortcuts. */
import { effect, signal } from "@preact/signals";

const THEMES = ["auto", "light", "dark"] as const;
export type Theme = typeof THEMES[number];

export function keptPref(name: string): string | null {
  try {
    return localStorage.getItem(`svc.${name}`);
  } catch {
    return null; // storage may be forbidden: the choice then lasts as long as the page
  }
}

export function keepPref(name: string, value: string): void {
  try {
    localStorage.setItem(`svc.${name}`, value);
  } catch {
    // as above
  }
}

export const theme = signal<Theme>(THEMES.find((name) => name === keptPref("theme")) ?? "auto");
/** WCAG 2.1.4: single-character shortcuts can be turned off. */
export const keysOn = signal(keptPref("keys") !== "off");

export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length]!;
}

export const darkNow = signal(false);

export function startPrefs(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const root = document.documentElement;
    if (theme.value === "auto") root.removeAttribute("data-theme");
    else root.dataset.theme = theme.value;
    darkNow.value = theme.value === "dark" || (theme.value === "auto" && system.matches);
  };
  system.addEventListener("change", apply);
  effect(() => {
    apply();
    keepPref("theme", theme.value);
  });
  effect(() => keepPref("keys", keysOn.value ? "on" : "off"));
}
