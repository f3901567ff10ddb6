export * from "./types.ts";
export { checkTask, parseTask, TaskError } from "./check.ts";
export { EnvironmentError, environmentFromFiles } from "./environment.ts";
export { grade } from "./grade.ts";
export { applyHunks } from "./hunks.ts";
export { makeTasks, type MakeOptions, type MakeResult, type Yields } from "./make.ts";
export { mutationSites, type Site, siteUse } from "./sites.ts";
export { GATES, Validator } from "./validate.ts";
export { exampleText, located } from "./statement.ts";
