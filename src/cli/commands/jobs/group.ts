export const about = "Jobs of a repo: list, follow, cancel, repeat and tell them";
