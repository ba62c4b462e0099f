/** Figures of a list of numbers; null for an empty one. */

export function mean(numbers) {
  if (numbers.length === 0) return null;
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

export function median(numbers) {
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort();
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
