/** Jobs an hour as bars, and tokens as a line. */
import type { Throughput } from "svc/runtime/views/throughput_view.ts";
import { amount } from "svc/dashboard/state/words.ts";
import { bars, fromZero, Plot, type PlotDrawing } from "./plot.tsx";

type Hours = Throughput["hourly"];

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

const DRAWING: PlotDrawing<Hours[number]> = {
  /** Stacked by hand: failed is on top of completed, and drawn first. */
  data: (hours) => [
    hours.map(({ hour }) => Date.parse(hour) / 1000),
    hours.map(({ completed, failed }) => failed === 0 ? null : completed + failed),
    hours.map(({ completed }) => completed),
    hours.map(({ tokens }) => tokens),
  ],
  options({ colour, font, row }) {
    const axis = { stroke: colour("ink-3"), font, ticks: { show: false } };
    return {
      scales: {
        x: { time: true, range: (_, min, max) => [min - HALF_HOUR, max + HALF_HOUR] },
        jobs: { range: fromZero(4) },
        tokens: { range: fromZero(4) },
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
          value: (_, __, ___, nth) => String(row(nth)?.failed ?? 0),
        },
        {
          label: "Completed",
          scale: "jobs",
          paths: bars,
          fill: colour("done-mark"),
          points: { show: false },
          value: (_, __, ___, nth) => String(row(nth)?.completed ?? 0),
        },
        {
          label: "Tokens",
          scale: "tokens",
          stroke: colour("working-mark"),
          width: 1.5,
          points: { show: false },
          value: (_, __, ___, nth) => amount(row(nth)?.tokens ?? 0),
        },
      ],
    };
  },
};

export function HourlyChart({ hours }: { readonly hours: Hours }) {
  return <Plot rows={hours} drawing={DRAWING} />;
}
