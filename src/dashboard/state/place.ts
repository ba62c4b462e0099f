/** The address holds page, filters and what is open, so that back and reload keep them. */
import { computed, signal } from "@preact/signals";

/** Paths of the pages drawn here; the browser follows all other links. */
export const PAGES = [
  "/pipeline",
  "/tickets",
  "/orchestration",
  "/roles",
  "/throughput",
  "/debug",
  "/evolution",
  "/job",
  "/ticket",
  "/login",
] as const;

export const place = signal(new URL(location.href));
export const path = computed(() => place.value.pathname);

export const isPage = (url: URL): boolean =>
  url.origin === location.origin && (PAGES as readonly string[]).includes(url.pathname);

/** Value of a query parameter; "" when it is not set. */
export const asked = (name: string): string => place.value.searchParams.get(name) ?? "";

/** Longer than this apart, changes of the address are never too many. */
const LATE_MS = 500;

let late: ReturnType<typeof setTimeout> | undefined;
/** The late address is an entry of its own in the history: back leads to the page before. */
let entryOwed = false;

/**
 * A key that is held down changes a search thirty times a second. WebKit and Firefox refuse more than 100 or
 * 200 changes of the address in 10 s, Chromium leaves them out: the address then follows as soon as it may.
 */
function showAddress(how: "push" | "replace"): void {
  clearTimeout(late);
  const { href } = place.peek();
  const adds = entryOwed || how === "push";
  try {
    history[adds ? "pushState" : "replaceState"](null, "", href);
  } catch {
    // told by what the address is
  }
  const isLate = location.href !== href;
  entryOwed = isLate && adds;
  if (isLate) late = setTimeout(showAddress, LATE_MS, how);
}

export function go(href: string, how: "push" | "replace" = "push"): void {
  // What is shown, and not the address, which may be late.
  const url = new URL(href, place.peek());
  const other = url.pathname !== place.peek().pathname;
  place.value = url;
  showAddress(how);
  if (!other || how !== "push") return;
  scrollTo(0, 0);
  focusMain();
}

/** Moves screen readers and the next Tab to the page: what had the focus is gone. */
export function focusMain(): void {
  document.getElementById("main")?.focus({ preventScroll: true });
}

/** This address with some parameters changed; "" removes one. */
export function hrefWith(changed: Readonly<Record<string, string>>): string {
  const url = new URL(place.value);
  for (const [name, value] of Object.entries(changed)) {
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
}

/** Sets filters by replacing the address: back leads to the page before, not through every letter typed. */
export function ask(changed: Readonly<Record<string, string>>): void {
  go(hrefWith(changed), "replace");
}

export const jobHref = (id: string): string => `/job?id=${encodeURIComponent(id)}`;
export const ticketHref = (repo: string, id: string): string =>
  `/ticket?repo_id=${encodeURIComponent(repo)}&id=${encodeURIComponent(id)}`;

function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.download !== "") return;
  const url = new URL(link.href);
  if (!isPage(url) || (url.hash !== "" && url.pathname === location.pathname)) return;
  event.preventDefault();
  go(url.href);
}

export function startPlace(): void {
  addEventListener("popstate", () => {
    clearTimeout(late);
    entryOwed = false;
    place.value = new URL(location.href);
  });
  document.addEventListener("click", follow);
}
