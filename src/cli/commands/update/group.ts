export const about = "Bring the installed svc or a repo's harness up to date";
