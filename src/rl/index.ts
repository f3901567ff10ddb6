export { type Group } from "./groups.ts";
export { bootstrapMean, type Estimate } from "./statistics.ts";
export { type Attempt, difference, type Difference, measure, type Measurement } from "./score.ts";
export type { UpdateMetrics } from "./metrics.ts";
export { evaluate } from "./evaluate.ts";
export { Learner, type LearnerSettings } from "./learner.ts";
export { Trainer } from "./trainer.ts";
