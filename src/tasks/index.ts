export * from "./types.ts";
export { checkTask, parseTask, TaskError } from "./check.ts";
export { EPISODE_LIMITS, grade } from "./grade.ts";
export { applyHunks } from "./hunks.ts";
export { makeTasks } from "./make.ts";
export { mutationSites } from "./sites.ts";
export { exampleText, located } from "./statement.ts";
export { Validator } from "./validate.ts";
