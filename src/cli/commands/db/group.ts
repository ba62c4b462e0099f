export const about = "Databases of svc: copy one between a file and a PostgreSQL server";
