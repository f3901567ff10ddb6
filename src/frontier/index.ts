export { type TaskSource, TaskSourceError } from "./task-source.ts";
export { uniformSource } from "./uniform.ts";
