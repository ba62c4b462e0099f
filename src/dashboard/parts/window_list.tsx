/** A long list of which only the rows near the window exist; all rows have the height given here and in the style. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Rows above and below the window, so that a quick scroll shows no gap. */
const SPARE = 12;
/** In a shorter list all rows exist, so that the browser's own search finds them. */
const ALL_BELOW = 120;
const PHONE = "(max-width: 720px)";

export function WindowList<T>(
  { items, heights, keyOf, children, onEnd }: {
    readonly items: readonly T[];
    /** Height of a row in pixels, on a wide window and on a phone. */
    readonly heights: { readonly wide: number; readonly phone: number };
    keyOf(item: T): string;
    children(item: T): ComponentChildren;
    onEnd?(): void;
  },
) {
  const ref = useRef<HTMLUListElement>(null);
  const range = useSignal({ first: 0, last: ALL_BELOW, height: heights.wide });
  useLayoutEffect(() => {
    const phone = matchMedia(PHONE);
    const measure = () => {
      const height = phone.matches ? heights.phone : heights.wide;
      const top = -ref.current!.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(top / height) - SPARE);
      const last = Math.ceil((top + innerHeight) / height) + SPARE;
      const { value } = range;
      if (value.first !== first || value.last !== last || value.height !== height) {
        range.value = { first, last, height };
      }
      if (last >= items.length) onEnd?.();
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [items.length, onEnd]);
  const { first, last, height } = range.value;
  const few = items.length <= ALL_BELOW;
  const from = few ? 0 : Math.min(first, Math.max(0, items.length - 1));
  const to = few ? items.length : Math.min(items.length, last);
  return (
    <ul
      ref={ref}
      class="rows"
      style={{
        paddingTop: `${from * height}px`,
        paddingBottom: `${(items.length - to) * height}px`,
      }}
    >
      {items.slice(from, to).map((item, nth) => (
        <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={from + nth + 1}>
          {children(item)}
        </li>
      ))}
    </ul>
  );
}
