export const about = "Keep secrets out of a repo: scans and git hooks";
