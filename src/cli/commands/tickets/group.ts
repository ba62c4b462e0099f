export const about = "Work items of a repo, as files in docs/tickets";
