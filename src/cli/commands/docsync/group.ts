export const about = "Check that documents say what is there";
