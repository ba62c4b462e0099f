export const about = "Keys of model providers";
