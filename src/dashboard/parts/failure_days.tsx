/** Failures by day and category as rows of small squares, darker where there were more. */
import type { Evolution } from "svc/runtime/views/evolution_view.ts";
import { counted, spoken } from "svc/dashboard/state/words.ts";

const SHADES = 4;

export function FailureDays({ of }: { readonly of: Evolution["telemetry"] }) {
  if (of.length === 0) return <p class="dim">No failure was counted.</p>;
  const days = [...new Set(of.map(({ day }) => day))].sort();
  const categories = [...new Set(of.map(({ category }) => category))].sort();
  const most = Math.max(...of.map(({ count }) => count));
  const countOf = (day: string, category: string) =>
    of.find((one) => one.day === day && one.category === category)?.count ?? 0;
  return (
    <table class="days">
      <thead>
        <tr>
          <th scope="col">Category</th>
          {days.map((day) => (
            <th key={day} scope="col">
              <span class="sr">{day}</span>
              <span aria-hidden="true">{day.slice(8)}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {categories.map((category) => (
          <tr key={category}>
            <th scope="row">{spoken(category)}</th>
            {days.map((day) => {
              const count = countOf(day, category);
              const shade = count === 0 ? 0 : Math.ceil(count / most * SHADES);
              return (
                <td key={day} title={`${counted(count, "failure")} on ${day}`}>
                  <span class={`shade shade-${shade}`}>
                    {count === 0 ? <span class="sr">0</span> : count}
                  </span>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
