export const about = "Access to the releases of svc at its code host";
