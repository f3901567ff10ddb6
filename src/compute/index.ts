export * from "./kernels.ts";
