/** What git tells a pre-push hook on standard input (githooks(5)). */

const ZERO = /^0+$/;

/** Commits that the push would send; a deleted ref sends none. Lines of another form are passed over. */
export function pushedTips(input: string): string[] {
  const tips = input.split("\n").flatMap((line) => {
    const [, local, , remote] = line.trim().split(" ");
    return local === undefined || remote === undefined || ZERO.test(local) ? [] : [local];
  });
  return [...new Set(tips)];
}
