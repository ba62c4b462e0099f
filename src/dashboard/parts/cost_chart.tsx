/** Dollars a day as bars, and tokens as a line; where nothing has a price, tokens alone. */
import type { CostsAnswer } from "svc/runtime/views/costs_view.ts";
import { amount, dayName, spent } from "svc/dashboard/state/words.ts";
import { bars, fromZero, inUtc, Plot, type PlotDrawing } from "./plot.tsx";

type Day = CostsAnswer["rows"][number];

const HALF_DAY = 43_200;

/** `$3`, `$0.80`, `$0.025`. */
function dollars(usd: number): string {
  if (Number.isInteger(usd) || usd >= 10) return `$${Math.round(usd)}`;
  const cents = usd.toFixed(2);
  return `$${String(usd).length > cents.length ? usd : cents}`;
}

/** The name is a date in UTC; a browser elsewhere must not move it to another day. */
const seconds = ({ key }: Day) => Date.parse(`${key}T00:00:00Z`) / 1000;
const nameAt = (secs: number) => dayName(new Date(secs * 1000).toISOString().slice(0, 10));

const DRAWING: PlotDrawing<Day> = {
  data: (days) => [
    days.map(seconds),
    days.map(({ cost_usd }) => cost_usd),
    days.map(({ tokens_in, tokens_out }) => tokens_in + tokens_out),
  ],
  options({ colour, font, row }) {
    const axis = { stroke: colour("ink-3"), font, ticks: { show: false } };
    return {
      tzDate: inUtc,
      scales: {
        x: { time: true, range: (_, min, max) => [min - HALF_DAY, max + HALF_DAY] },
        usd: { range: fromZero(0.1) },
        tokens: { range: fromZero(4) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          incrs: [1, 2, 7, 14, 28, 56].map((days) => days * 86_400),
          values: (_, at) => at.map(nameAt),
        },
        {
          ...axis,
          scale: "usd",
          size: 44,
          grid: { stroke: colour("rule"), width: 1 },
          values: (_, all) => all.map(dollars),
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
        { label: "Day", value: (_, at) => at === null ? "today" : nameAt(at) },
        {
          label: "Cost",
          scale: "usd",
          paths: bars,
          fill: colour("done-mark"),
          points: { show: false },
          value: (_, __, ___, nth) => {
            const day = row(nth);
            return day === undefined ? "–" : spent(day);
          },
        },
        {
          label: "Tokens",
          scale: "tokens",
          stroke: colour("working-mark"),
          width: 1.5,
          points: { show: false },
          value: (_, __, ___, nth) => {
            const day = row(nth);
            return amount(day === undefined ? 0 : day.tokens_in + day.tokens_out);
          },
        },
      ],
    };
  },
};

export function CostChart({ days }: { readonly days: readonly Day[] }) {
  return <Plot rows={days} drawing={DRAWING} />;
}
