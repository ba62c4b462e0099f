/** Jobs an hour as bars and tokens as a line, drawn by uPlot in the colours of the theme. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Throughput } from "svc/runtime/views/throughput_view.ts";
import { darkNow } from "svc/dashboard/state/prefs.ts";
import { amount } from "svc/dashboard/state/words.ts";

type Hours = Throughput["hourly"];

const HEIGHT = 240;
/** Seconds added on each side, so that the first and last bar are whole. */
const HALF_HOUR = 1_800;
const shortHour = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const hourName = new Intl.DateTimeFormat(undefined, {
  weekday: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** Stacked by hand: failed is on top of completed, and drawn first. */
function dataOf(hours: Hours): uPlot.AlignedData {
  return [
    hours.map(({ hour }) => Date.parse(hour) / 1000),
    hours.map(({ completed, failed }) => failed === 0 ? null : completed + failed),
    hours.map(({ completed }) => completed),
    hours.map(({ tokens }) => tokens),
  ];
}

/** A canvas does not know `light-dark()`: an element resolves the colour of a token. */
function palette(element: HTMLElement): (name: string) => string {
  return (name) => {
    element.style.color = `var(--${name})`;
    return getComputedStyle(element).color;
  };
}

function optionsOf(element: HTMLElement, hours: () => Hours): uPlot.Options {
  const width = element.clientWidth;
  const style = getComputedStyle(element);
  const colour = palette(element);
  const font = `11px ${style.getPropertyValue("--sans").trim() || "sans-serif"}`;
  const of = (nth: number | null) => nth === null ? hours().at(-1) : hours()[nth];
  const bars = uPlot.paths.bars!({ size: [0.62, 26], radius: 0.12 });
  const axis = { stroke: colour("ink-3"), font, ticks: { show: false } };
  const least = (
    _: uPlot,
    __: number,
    max: number,
  ): [number, number] => [0, Math.max(4, max * 1.1)];
  return {
    width,
    height: HEIGHT,
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    legend: { live: true },
    scales: {
      x: { time: true, range: (_, min, max) => [min - HALF_HOUR, max + HALF_HOUR] },
      jobs: { range: least },
      tokens: { range: least },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, at) => at.map((time) => shortHour.format(time * 1000)),
      },
      {
        ...axis,
        scale: "jobs",
        size: 34,
        grid: { stroke: colour("rule"), width: 1 },
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      },
      {
        ...axis,
        scale: "tokens",
        side: 1,
        size: 52,
        grid: { show: false },
        values: (_, all) => all.map(amount),
      },
    ],
    series: [
      { label: "Hour", value: (_, at) => at === null ? "last hour" : hourName.format(at * 1000) },
      {
        label: "Failed",
        scale: "jobs",
        paths: bars,
        fill: colour("failing-mark"),
        points: { show: false },
        value: (_, __, ___, nth) => String(of(nth)?.failed ?? 0),
      },
      {
        label: "Completed",
        scale: "jobs",
        paths: bars,
        fill: colour("done-mark"),
        points: { show: false },
        value: (_, __, ___, nth) => String(of(nth)?.completed ?? 0),
      },
      {
        label: "Tokens",
        scale: "tokens",
        stroke: colour("working-mark"),
        width: 1.5,
        points: { show: false },
        value: (_, __, ___, nth) => amount(of(nth)?.tokens ?? 0),
      },
    ],
  };
}

export function HourlyChart({ hours }: { readonly hours: Hours }) {
  const frame = useRef<HTMLDivElement>(null);
  const held = useRef({ hours, chart: undefined as uPlot | undefined });
  const dark = darkNow.value;
  useEffect(() => {
    const element = frame.current!;
    const { current } = held;
    const chart = new uPlot(
      optionsOf(element, () => current.hours),
      dataOf(current.hours),
      element,
    );
    current.chart = chart;
    const watch = new ResizeObserver(() => {
      if (Math.abs(chart.width - element.clientWidth) < 2) return;
      chart.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [dark]);
  useEffect(() => {
    held.current.hours = hours;
    held.current.chart?.setData(dataOf(hours));
  }, [hours]);
  return <div class="chart" ref={frame} aria-hidden="true" />;
}
