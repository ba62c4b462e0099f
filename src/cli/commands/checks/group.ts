export const about = "Run commands as recorded checks";
