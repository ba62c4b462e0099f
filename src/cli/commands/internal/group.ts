export const about = "Self-checks of svc";
