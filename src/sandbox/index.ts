export * from "./sandbox.ts";
