/** A plot that uPlot draws in the colours of the theme, as wide as its place; a table beside it says the same. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { darkNow } from "svc/dashboard/state/prefs.ts";

export const PLOT_HEIGHT = 240;

/** What the drawing of a plot may use: colours of tokens, the font, and the rows as they are now. */
export interface PlotBrush<Row> {
  colour(token: string): string;
  readonly font: string;
  /** The row under the cursor; the last one where there is none. */
  row(nth: number | null): Row | undefined;
}

export interface PlotDrawing<Row> {
  data(rows: readonly Row[]): uPlot.AlignedData;
  options(brush: PlotBrush<Row>): Omit<uPlot.Options, "width" | "height" | "cursor" | "legend">;
}

/** A canvas does not know `light-dark()`: an element resolves the colour of a token. */
function palette(element: HTMLElement): (name: string) => string {
  return (name) => {
    // Two bars of one colour would tell nothing, also where the system chooses colours.
    if (name.endsWith("-mark")) element.style.setProperty("forced-color-adjust", "none");
    element.style.color = `var(--${name})`;
    const { color } = getComputedStyle(element);
    element.style.removeProperty("forced-color-adjust");
    return color;
  };
}

/** Room above the highest value; an empty plot has a scale too. */
export const fromZero =
  (least: number) => (_: uPlot, __: number, max: number): [number, number] => [
    0,
    Math.max(least, max * 1.1),
  ];

/** For an axis of days in UTC: the browser's own midnight, east of Greenwich, lies in the day before. */
export const inUtc = (secs: number): Date => uPlot.tzDate(new Date(secs * 1000), "Etc/UTC");

export const bars = uPlot.paths.bars!({ size: [0.62, 26], radius: 0.12 });

export function Plot<Row>(
  { rows, drawing }: { readonly rows: readonly Row[]; readonly drawing: PlotDrawing<Row> },
) {
  const frame = useRef<HTMLDivElement>(null);
  const held = useRef({ rows, chart: undefined as uPlot | undefined });
  const dark = darkNow.value;
  useEffect(() => {
    const element = frame.current!;
    const { current } = held;
    const style = getComputedStyle(element);
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: PLOT_HEIGHT,
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        legend: { live: true },
        ...drawing.options({
          colour: palette(element),
          font: `11px ${style.getPropertyValue("--sans").trim() || "sans-serif"}`,
          row: (nth) => nth === null ? current.rows.at(-1) : current.rows[nth],
        }),
      },
      drawing.data(current.rows),
      element,
    );
    current.chart = chart;
    const watch = new ResizeObserver(() => {
      if (Math.abs(chart.width - element.clientWidth) < 2) return;
      chart.setSize({ width: element.clientWidth, height: PLOT_HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [dark, drawing]);
  useEffect(() => {
    held.current.rows = rows;
    held.current.chart?.setData(drawing.data(rows));
  }, [rows]);
  return <div class="chart" ref={frame} aria-hidden="true" />;
}
