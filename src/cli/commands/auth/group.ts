export const about = "Access to what svc reads from a code host";
