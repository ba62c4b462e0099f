export const about = "Jobs of a repo: list them, tell a running one something";
