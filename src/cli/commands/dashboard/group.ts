export const about = "The dashboard of svc start and svc serve";
