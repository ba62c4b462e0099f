export const about = "The place of svc on PATH";
