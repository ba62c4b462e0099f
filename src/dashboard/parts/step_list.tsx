/** The steps of a run, of which only those near the window exist, each as high as it is; follows the newest if asked. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { RowHeights } from "svc/dashboard/state/step_heights.ts";
import type { JobRun } from "svc/dashboard/state/trace.ts";
import { counted } from "svc/dashboard/state/words.ts";
import { Icon } from "./icon.tsx";
import { Step } from "./step.tsx";

/** Drawn above and below the window, so that a quick scroll shows no gap. */
const SPARE_PX = 800;
/** What stands below the newest step while it is followed. */
const FOOT_PX = 84;

/** Corrects the scroll by what rows above the window were guessed wrong, so that nothing in sight moves. */
function settle(list: HTMLElement, heights: RowHeights, first: number): boolean {
  let [above, changed] = [0, false];
  let top = list.getBoundingClientRect().top + heights.above(first);
  for (
    const [nth, row] of [...list.querySelectorAll<HTMLElement>(":scope > [data-step]")].entries()
  ) {
    const height = row.getBoundingClientRect().height;
    const more = heights.measured(first + nth, height);
    if (Math.abs(more) >= 0.5) {
      changed = true;
      if (top + height - more <= 0) above += more;
    }
    top += height - more;
  }
  if (above !== 0) scrollBy(0, above);
  return changed;
}

export function StepList({ run, total }: { readonly run: JobRun; readonly total: number }) {
  const ref = useRef<HTMLOListElement>(null);
  const heights = useRef(new RowHeights()).current;
  const range = useSignal({ first: 0, last: 1 });
  const follows = useSignal(false);
  const drawnAgain = useSignal(0);
  const scrolled = useRef(0);
  heights.grow(total);
  void run.came.value; // draws what came
  void drawnAgain.value;

  const look = () => {
    const top = ref.current!.getBoundingClientRect().top;
    const { first, last } = heights.within(-top - SPARE_PX, -top + innerHeight + SPARE_PX);
    if (range.peek().first !== first || range.peek().last !== last) range.value = { first, last };
    run.need(first, last - 1);
  };
  const toEnd = () => {
    const { bottom } = ref.current!.getBoundingClientRect();
    scrollBy(0, bottom - innerHeight + FOOT_PX);
    scrolled.current = scrollY;
  };
  useLayoutEffect(() => {
    const onScroll = () => {
      const { bottom } = ref.current!.getBoundingClientRect();
      if (scrollY < scrolled.current - 1) follows.value = false;
      else if (run.live.peek() && bottom <= innerHeight) follows.value = true;
      scrolled.current = scrollY;
      look();
    };
    const sizes = new ResizeObserver(() => {
      if (settle(ref.current!, heights, range.peek().first)) drawnAgain.value++;
      look();
    });
    sizes.observe(ref.current!);
    sizes.observe(document.body); // what stands above may be opened and closed
    addEventListener("scroll", onScroll, { passive: true });
    addEventListener("resize", look);
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", onScroll);
      removeEventListener("resize", look);
    };
  }, [run]);
  useLayoutEffect(() => {
    if (settle(ref.current!, heights, range.peek().first)) drawnAgain.value++;
    if (follows.value) toEnd();
    look();
  });

  const first = Math.min(range.value.first, Math.max(0, total - 1));
  const last = Math.min(range.value.last, total);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, nth) => first + nth);
  return (
    <>
      <ol ref={ref} class="steps">
        <li class="gap" aria-hidden="true" style={{ height: `${heights.above(first)}px` }} />
        {rows.map((nth) => (
          <li
            key={nth}
            class="step"
            data-step={nth}
            data-item
            tabIndex={-1}
            aria-setsize={total}
            aria-posinset={nth + 1}
          >
            <Step of={run.step(nth)} run={run} />
          </li>
        ))}
        <li
          class="gap"
          aria-hidden="true"
          style={{ height: `${heights.above(total) - heights.above(last)}px` }}
        />
      </ol>
      {run.live.value && (
        <div class="follow">
          <span role="status">{counted(total, "step")} so far</span>
          <button
            type="button"
            class="button"
            aria-pressed={follows.value}
            onClick={() => {
              follows.value = !follows.value;
              if (follows.value) toEnd();
            }}
          >
            <Icon name="more" />
            {follows.value ? "Following" : "Follow"}
          </button>
        </div>
      )}
    </>
  );
}
