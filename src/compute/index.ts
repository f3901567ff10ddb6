export * from "./kernels.ts";
export * from "./random.ts";
