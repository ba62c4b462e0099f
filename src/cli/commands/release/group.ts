export const about = "Write release notes from commits, and the version with them";
