import { Random } from "../compute/index.ts";
import type { Task } from "../tasks/index.ts";
import { type TaskSource, TaskSourceError } from "./task-source.ts";

interface UniformState {
  epoch: number;
  /** Ids still to come in this epoch, next first. */
  remaining: string[];
}

/** Every task once per epoch, in an order drawn from the stream (seed, "tasks", epoch). What was learned of a task is not used. */
export function uniformSource(tasks: readonly Task[], seed: number): TaskSource {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ids = [...byId.keys()].toSorted();
  let state: UniformState = { epoch: -1, remaining: [] };
  return {
    async next(n) {
      if (n > ids.length) throw new TaskSourceError(`an update needs ${n} distinct tasks but there are only ${ids.length}; make more tasks or lower the number of groups`);
      const chosen: string[] = [];
      while (chosen.length < n) {
        if (state.remaining.length === 0) {
          const epoch = state.epoch + 1;
          const order = Random.stream(seed, "tasks", epoch).shuffle(ids);
          // A batch that crosses epochs must not hold a task twice: its own come last in the new epoch.
          state = { epoch, remaining: [...order.filter((id) => !chosen.includes(id)), ...order.filter((id) => chosen.includes(id))] };
        }
        chosen.push(state.remaining.shift()!);
      }
      return chosen.map((id) => byId.get(id)!);
    },
    record() {},
    state: () => structuredClone(state),
    restore(saved) {
      const { epoch, remaining } = saved as UniformState;
      const unknown = remaining.filter((id) => !byId.has(id));
      if (unknown.length > 0) throw new TaskSourceError(`the saved order names ${unknown.length} tasks that this set lacks (first: ${unknown[0]}); resume with the tasks the run started with`);
      state = { epoch, remaining: [...remaining] };
    },
  };
}
