export const about =
  "Anonymous counts of jobs: off by default, shown before they go, sent by request";
