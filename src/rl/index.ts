export { type Group } from "./groups.ts";
export { dppoObjective, type ObjectiveInput, type ObjectiveOptions, type ObjectiveResult } from "./objective.ts";
export { bootstrapMean, type Estimate, pairedBootstrap, passAtK } from "./statistics.ts";
export { type Attempt, difference, type Difference, measure, type Measurement, type TaskScore } from "./score.ts";
export type { UpdateMetrics } from "./metrics.ts";
export { CheckpointError } from "./checkpoint.ts";
