/** A score with its interval: the dot is what is sure, the bar how far it may reach. */
interface ScoreProps {
  readonly score: number | null;
  readonly upper: number | null;
  readonly samples: number;
}

export function Score({ score, upper, samples }: ScoreProps) {
  if (score === null) {
    return <span class="dim" title="A score needs five outcomes">{samples} of 5 runs</span>;
  }
  const top = upper ?? score;
  const words = `${Math.round(score)} to ${Math.round(top)} of 100, from ${samples} outcomes`;
  return (
    <span class="score" title={words}>
      <b>{Math.round(score)}</b>
      <svg class="interval" viewBox="0 0 104 12" role="img" aria-label={words}>
        <line class="interval-rule" x1="2" x2="102" y1="6" y2="6" />
        <rect x={2 + score} y="3" width={Math.max(1, top - score)} height="6" rx="3" />
        <circle cx={2 + score} cy="6" r="3.5" />
      </svg>
      <span class="dim">{samples} runs</span>
    </span>
  );
}

/** Difference to the window before. */
export function Trend({ by }: { readonly by: number | null }) {
  if (by === null) return <span class="dim">—</span>;
  const points = Math.round(by);
  if (points === 0) return <span class="dim">±0</span>;
  return (
    <span class={points > 0 ? "up" : "down"}>{points > 0 ? `↑ ${points}` : `↓ ${-points}`}</span>
  );
}
