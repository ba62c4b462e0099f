export const about = "Which model a role uses, where models are, and their keys";
