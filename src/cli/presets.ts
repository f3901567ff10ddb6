/** Settings of the experiments that ship with the program. Everything that decides a run's numbers is here, in its seed, or in the model. */
import type { LearnerSettings } from "../rl/index.ts";
import { CommandError } from "./command.ts";

/** The environments' splits: those the model may be trained on, those it adapts to, those it never trains on. */
export type SplitName = "train" | "adapt" | "heldout";

export interface TaskSetSpec {
  /** How many environments of the split, in its order. */
  environments: number | "all";
  tasks: number;
}

export interface ExperimentPreset {
  name: string;
  /** Training tasks: from the RL sites of these environments. */
  train: TaskSetSpec & { split: SplitName };
  /** Evaluation tasks per split, from the evaluation sites, and attempts per task at temperature 1 (beside a greedy one). */
  evaluation: Record<SplitName, TaskSetSpec & { attempts: number }>;
  /** Other temperatures at which the untrained model is measured on the split that is trained for, and attempts per task. */
  baseTemperatures: { values: number[]; attempts: number };
  updates: number;
  /** Tasks per update. */
  groupsPerUpdate: number;
  /** Rollouts per task. */
  groupSize: number;
  lora: { rank: number; alpha: number };
  learner: LearnerSettings;
}

const LORA = { rank: 8, alpha: 16 };
const LEARNER: LearnerSettings = {
  lr: 1e-3,
  optimizer: { beta1: 0.9, beta2: 0.98, eps: 1e-8, weightDecay: 0.1, clipNorm: 1, decay: "all" },
  microBatchRows: 4096,
  cutOffReward: 0.5,
  dropThreshold: 0.2,
};

const DEMO: ExperimentPreset = {
  name: "demo",
  train: { split: "adapt", environments: 1, tasks: 190 },
  evaluation: {
    adapt: { environments: 1, tasks: 60, attempts: 8 },
    train: { environments: "all", tasks: 36, attempts: 4 },
    heldout: { environments: "all", tasks: 60, attempts: 4 },
  },
  baseTemperatures: { values: [0.3, 0.5, 0.7], attempts: 2 },
  updates: 20,
  groupsPerUpdate: 32,
  groupSize: 8,
  lora: LORA,
  learner: LEARNER,
};

export const PRESETS: Record<"demo" | "quick" | "study", ExperimentPreset> = {
  demo: DEMO,
  /** The demo cut short, to see that every step works. */
  quick: {
    ...DEMO,
    name: "quick",
    train: { split: "adapt", environments: 1, tasks: 4 },
    evaluation: {
      adapt: { environments: 1, tasks: 3, attempts: 2 },
      train: { environments: 1, tasks: 2, attempts: 2 },
      heldout: { environments: 1, tasks: 2, attempts: 2 },
    },
    updates: 2,
    groupsPerUpdate: 2,
    groupSize: 4,
  },
  study: {
    name: "study",
    train: { split: "train", environments: "all", tasks: 300 },
    evaluation: {
      train: { environments: "all", tasks: 200, attempts: 8 },
      adapt: { environments: "all", tasks: 200, attempts: 4 },
      heldout: { environments: "all", tasks: 200, attempts: 4 },
    },
    baseTemperatures: { values: [0.3, 0.5, 0.7], attempts: 4 },
    updates: 60,
    groupsPerUpdate: 32,
    groupSize: 8,
    lora: LORA,
    learner: LEARNER,
  },
};

/** Throws `CommandError` for an unknown name. */
export function findPreset(name: string): ExperimentPreset {
  if (!Object.hasOwn(PRESETS, name)) throw new CommandError(`there is no preset "${name}"; presets: ${Object.keys(PRESETS).join(", ")}`);
  return PRESETS[name as keyof typeof PRESETS];
}
