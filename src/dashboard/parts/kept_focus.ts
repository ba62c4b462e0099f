/** What goes while it has the focus gives it to its neighbour, so that the next key goes on from there. */
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusMain } from "svc/dashboard/state/place.ts";

export function useKeptFocus<Item extends HTMLElement>(): RefObject<Item | null> {
  const ref = useRef<Item>(null);
  useLayoutEffect(() => {
    const item = ref.current!;
    return () => {
      if (!item.contains(document.activeElement)) return;
      const next = item.nextElementSibling ?? item.previousElementSibling;
      const inner = next?.querySelector<HTMLElement>("a, summary, button");
      if (inner) inner.focus();
      else focusMain();
    };
  }, []);
  return ref;
}
