export const about = "Whether models can do the work of roles";
